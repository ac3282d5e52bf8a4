"""Solves serial questions from their text alone, by other code than the generator's."""

from __future__ import annotations

import re

DIRECTIONS = ["north", "east", "south", "west"]


def solve_chain(text: str) -> str:
    terms = re.findall(r"(?:([+-]) )?(\d+)", text)
    return str(sum(-int(d) if sign == "-" else int(d) for sign, d in terms))


def solve_story(text: str) -> str:
    name, start = re.match(r"(\w+) has (\d+) ", text).groups()
    heap = int(start)
    for sentence in text.split(". ")[1:-1]:
        who, verb = sentence.split()[:2]
        count = int(re.search(r"\d+", sentence)[0])
        gain = verb in ("buys", "finds") or who != name
        heap += count if gain else -count
        assert heap >= 0, sentence
    assert text.endswith(f"does {name} have now?")
    return str(heap)


def solve_variables(text: str) -> str:
    *lines, question = re.findall(r"[^.?]+[.?]", text)
    rules = dict(line.strip(" .").split(" = ") for line in lines)
    assert len(rules) == len(lines), "a letter is defined twice"

    def value(letter: str) -> int:
        first, *rest = rules[letter].split()
        if not rest:
            return int(first)
        return value(first) + int("".join(rest))

    return str(value(question.strip(" ?").split()[-1]))


def solve_passing(text: str) -> str:
    holders = {}
    for sentence in text.split(". "):
        if gift := re.fullmatch(r"(\w+) gives the (\w+) to (\w+)", sentence):
            assert holders[gift[2]] == gift[1] != gift[3], sentence
            holders[gift[2]] = gift[3]
        elif start := re.fullmatch(r"(\w+) has the (\w+)", sentence):
            holders[start[2]] = start[1]
    return holders[re.search(r"Who has the (\w+)\?$", text)[1]]


def solve_turning(text: str) -> str:
    facing = DIRECTIONS.index(re.match(r"You face (\w+)\.", text)[1])
    for turn in re.findall(r"Turn (\w+)\.", text):
        facing += {"right": 1, "around": 2, "left": 3}[turn]
    return DIRECTIONS[facing % 4]


def solve_cups(text: str) -> str:
    table = [False] * 6
    table[int(re.match(r"The coin is under cup (\d)\.", text)[1])] = True
    for i, j in re.findall(r"Swap (\d) and (\d)\.", text):
        assert i != j
        table[int(i)], table[int(j)] = table[int(j)], table[int(i)]
    return str(table.index(True))


SOLVERS = {"chain": solve_chain, "story": solve_story, "variables": solve_variables,
           "passing": solve_passing, "turning": solve_turning, "cups": solve_cups}  # fmt: skip
