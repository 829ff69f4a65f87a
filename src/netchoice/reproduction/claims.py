"""All quantitative claims of the paper, each with the criterion that it is judged by."""

from netchoice.reproduction import claims_pilots, claims_spaces, claims_yeast

CLAIMS = (*claims_spaces.CLAIMS, *claims_pilots.CLAIMS, *claims_yeast.CLAIMS)
