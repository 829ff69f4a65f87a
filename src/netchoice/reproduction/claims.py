"""Every quantitative claim of the paper, with the criterion it is judged by."""

from netchoice.reproduction import claims_pilots, claims_spaces, claims_yeast

CLAIMS = (*claims_spaces.CLAIMS, *claims_pilots.CLAIMS, *claims_yeast.CLAIMS)
