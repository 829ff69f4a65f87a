"""Reference implementation of the alterations that change triangles, degrees and mixing."""

import networkx as nx

TRIES = 50


class Network:
    """Edges with two ends each; the ends at a node are listed with the latest first."""

    def __init__(self, graph, draws):
        self.owners, self.draws, self.n = [], iter(draws), len(graph)
        self.lists = {node: [] for node in graph}
        for u, v in sorted(tuple(sorted(edge)) for edge in graph.edges()):
            for node in (u, v):
                self.lists[node].insert(0, len(self.owners))
                self.owners.append(node)

    def draw(self, n):
        return int(next(self.draws) * n)

    def draw_node(self):
        return self.draw(self.n)

    def degree(self, node):
        return len(self.lists[node])

    def neighbours(self, node):
        return [self.owners[end ^ 1] for end in self.lists[node]]

    def linked(self, u, v):
        return v in self.neighbours(u)

    def share(self, u, v):
        return bool(set(self.neighbours(u)) & set(self.neighbours(v)))

    def random_neighbour(self, node):
        ends = self.lists[node]
        if len(ends) ** 2 > len(self.owners):
            end = self.draw(len(self.owners))
            while end not in ends:
                end = self.draw(len(self.owners))
        else:
            end = ends[self.draw(len(ends))]
        return self.owners[end ^ 1]

    def move(self, end, node):
        self.lists[self.owners[end]].remove(end)
        self.lists[node].insert(0, end)
        self.owners[end] = node

    def random_edge(self, in_triangle):
        for _ in range(TRIES):
            edge = self.draw(len(self.owners) // 2)
            u, v = self.owners[2 * edge], self.owners[2 * edge + 1]
            if min(self.degree(u), self.degree(v)) > 1 and self.share(u, v) == in_triangle:
                return edge
        return None

    def replace(self, edge, u, v):
        self.move(2 * edge, u)
        self.move(2 * edge + 1, v)

    # One change of each kind

    def triangles_added(self):
        for _ in range(TRIES):
            node = self.draw_node()
            if self.degree(node) < 2:
                continue
            u, v = self.random_neighbour(node), self.random_neighbour(node)
            if u != v and not self.linked(u, v):
                edge = self.random_edge(False)
                if edge is not None:
                    self.replace(edge, u, v)
                return

    def triangles_removed(self):
        edge = self.random_edge(True)
        for _ in range(TRIES if edge is not None else 0):
            u, v = self.draw_node(), self.draw_node()
            if u != v and not self.linked(u, v) and not self.share(u, v):
                self.replace(edge, u, v)
                return

    def degrees(self, concentrate):
        for _ in range(TRIES):
            end = self.draw(len(self.owners))
            left, kept = self.owners[end], self.owners[end ^ 1]
            if concentrate:
                node = self.owners[self.draw(len(self.owners))]
            else:
                node = min(self.draw_node(), self.draw_node(), key=self.degree)
            if node == kept or self.degree(left) < 2 or self.linked(kept, node):
                continue
            before, after = self.degree(left), self.degree(node) + 1
            if after > before if concentrate else after < before:
                self.move(end, node)
                return

    def mixing(self, sign):
        for _ in range(2 * TRIES):
            first, second = self.draw(len(self.owners)), self.draw(len(self.owners))
            u, v = self.owners[first], self.owners[first ^ 1]
            x, y = self.owners[second], self.owners[second ^ 1]
            du, dv, dx, dy = map(self.degree, (u, v, x, y))
            gain = du * dy + dx * dv - du * dv - dx * dy
            if sign * gain <= 0 or u == y or x == v or self.linked(u, y) or self.linked(x, v):
                continue
            self.move(first ^ 1, y)
            self.move(second ^ 1, v)
            return


def change_edges(graph, change, n_changes, draws):
    network = Network(graph, draws)
    step = {
        "triangles added": network.triangles_added,
        "triangles removed": network.triangles_removed,
        "degrees concentrated": lambda: network.degrees(True),
        "degrees equalised": lambda: network.degrees(False),
        "similar degrees linked": lambda: network.mixing(1),
        "different degrees linked": lambda: network.mixing(-1),
    }[change]
    for _ in range(n_changes if network.owners else 0):
        step()
    changed = nx.empty_graph(len(graph))
    changed.add_edges_from(zip(network.owners[::2], network.owners[1::2], strict=True))
    return changed
