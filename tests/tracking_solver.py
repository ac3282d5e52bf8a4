"""Reads questions that track something back into the values of what is asked, step by step.

It reads only their English, and shares no code with what makes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from serial import calendars
from serial.base import Draw

SIDES = r"(?i)\b(?:north|east|south|west)\b"
TURNS = (
    "halfway around|half turn|half a circle|180.degree|around|opposite|the other way|U-turn"
    "|left|right|counterclockwise|anticlockwise|clockwise"
)
TURN_WORDS = {"counterclockwise": "left", "anticlockwise": "left", "clockwise": "right"}


def turned(draw: Draw) -> list[str]:
    facing = draw.choices.index(re.search(SIDES, draw.question)[0].lower())
    run = []
    for turn in re.findall(TURNS, draw.question):
        facing += {"left": 3, "right": 1}.get(TURN_WORDS.get(turn, turn), 2)
        run.append(draw.choices[facing % 4])
    return run


def uncovered(draw: Draw) -> list[str]:
    place, *swaps = re.findall(r"\d", draw.question)
    run = []
    for i, j in zip(swaps[::2], swaps[1::2], strict=True):
        place = {i: j, j: i}.get(place, place)
        run.append(place)
    return run


def ordered(patterns: Sequence[str], names: tuple[str, ...], text: str) -> list[dict[str, str]]:
    """Return the fields of all that the patterns match, in the order of the text."""
    return [fields for fields, _ in ordered_ends(patterns, names, text)]


def ordered_ends(
    patterns: Sequence[str], names: tuple[str, ...], text: str
) -> list[tuple[dict[str, str], int]]:
    """Return the fields of all that the patterns match, and the offset just past each."""
    name = f"(?:{'|'.join(map(re.escape, names))})\\b"
    found = []
    for pattern in patterns:
        regex = re.sub(r"(?<!P)<(\w)>", lambda m: f"(?P<{m[1]}>{name})", pattern)
        found += [(m.start(), m.groupdict(), m.end()) for m in re.finditer(regex, text)]
    return [(fields, end) for _, fields, end in sorted(found, key=lambda item: item[0])]


HOLDING = (
    r"<a> (?:has|has got|is holding|holds|is carrying|carries) the (?P<t>\w+)",
    r"<a> (?:starts with|begins with|starts out with|is the one with) the (?P<t>\w+)",
    r"<a> (?:is the first to have|who has) the (?P<t>\w+)",
    r"[Tt]he (?P<t>\w+) (?:is|starts|can be found) with <a>",
    r"[Tt]he (?P<t>\w+) is (?:held by <a>|in <b>'s hands)",
    r"[Tt]he (?:one with|first to have|person holding) the (?P<t>\w+) is <a>",
)
HANDOVERS = (
    r"<a> (?:gives|passes|hands|throws|sends|tosses|lends) the (?P<t>\w+) (?:on )?to <b>",
    r"<a> (?:sells|delivers|offers|hands over) the (?P<t>\w+) to <b>",
    r"<a> (?:gives|passes|hands|sends|brings|lends|slips|throws) <b> the (?P<t>\w+)",
    r"<a> leaves the (?P<t>\w+) with <b>",
    r"<a> lets <b> have the (?P<t>\w+)",
    r"<a> lets go of the (?P<t>\w+) and <b> takes it",
    r"<b> (?:who )?(?:gets|takes over|takes|receives|borrows) the (?P<t>\w+) from <a>",
    r"<b> (?:buys|picks up|grabs) the (?P<t>\w+) from <a>",
    r"<b> is (?:given|handed) the (?P<t>\w+) by <a>",
    r"<b> asks <a> for the (?P<t>\w+) and gets it",
    r"[Ff]rom <a> the (?P<t>\w+) goes to <b>",
    r"[Tt]he (?P<t>\w+) (?:goes|moves) from <a> to <b>",
    r"[Tt]he (?P<t>\w+) is given to <b> by <a>",
    r"[Tt]he (?P<t>\w+) is sent by <a> to <b>",
    r"[Tt]he (?P<t>\w+) (?:is (?:handed|passed|thrown)|goes over) to <b>",
    r"[Tt]he one who gets the (?P<t>\w+) from <a> is <b>",
    r"<a> and <b> (?:swap|trade|exchange|switch|make a trade|do a swap|take each other's things)",
    r"<a> (?:swaps|trades|exchanges|switches)(?: things| items)? with <b>",
    r"<a> (?:makes|agrees to) a (?:swap|trade) with <b>",
    r"(?:swap|trade takes place) between <a> and <b>",
    r"[Tt]he (?:things|items) of <a> and <b> are (?:swapped|exchanged)",
)
THING_ASKED = (
    r"\b[Tt]he ({things})\b[^.?]*\?|"
    r"(?:Tell me|I want to know|I need|Name the|Say who|I am looking for|I would like to have|"
    r"Think of|Somebody has|Find out|Please say|Follow|Watch|The question is|What I need to know)"
    r"[^.?]*? the ({things})\b"
)


def held(draw: Draw) -> list[str]:
    asked, after = handed_on(draw)
    return [held_by[asked] for held_by in after]


def handed_on(draw: Draw) -> tuple[str, list[dict[str, str]]]:
    """Return the thing that is asked for, and who has each thing after every step."""
    holding = ordered(HOLDING, draw.choices, draw.question)
    held_by = {f["t"]: f["a"] or f["b"] for f in holding}
    (asked,) = {
        found
        for pair in re.findall(THING_ASKED.format(things="|".join(held_by)), draw.question)
        for found in pair
        if found
    }
    run = []
    for fields in ordered(HANDOVERS, draw.choices, draw.question):
        a, b = fields.get("a"), fields["b"]
        if "t" in fields:
            assert a in (None, held_by[fields["t"]])
            held_by[fields["t"]] = b
        else:
            held_by = {t: {a: b, b: a}.get(person, person) for t, person in held_by.items()}
        run.append(dict(held_by))
    return asked, run


POINTS = [rf"{pattern}(?=[.,;]| and )" for pattern in (
    r"<a> (?:points to|points at|is pointing at|looks at|is looking at|looks to|faces) <b>",
    r"<a> (?:leads to|links to|sends you to|->) <b>",
    r"<a> (?:calls|calls up|phones|tells|whispers to|likes|trusts|helps|has chosen) <b>",
    r"<a> (?:sends|gives|hands|mails) the letter (?:on )?to <b>",
    r"<a> throws the ball to <b>",
    r"<a> throws <b> the ball",
    r"<a> (?:works for|comes just before) <b>",
    r"<a> (?:sits|stands|is right) in front of <b>",
    r"<a>'s (?:boss is|best friend is|arrow points to) <b>",
    r"<a> is followed by <b>",
    r"<b> (?:stands|sits|waits right) behind <a>",
    r"<b> (?:follows|is next after|comes right after) <a>",
    r"<b> is the one <a> points to",
    r"<b> is pointed at by <a>",
    r"<b> (?:gets the letter|catches the ball|gets a call|hears everything) from <a>",
    r"<b> (?:is called by|is liked by) <a>",
    r"<b> (?:sits to the (?:right|left) of|lives just (?:above|below)) <a>",
    r"[Ff]rom <a> (?:you go|the way leads|the letter goes) to <b>",
    r"[Ff]rom <a> to <b>",
    r"[Pp]ath from <a> goes to <b>",
    r"[Aa]t <a> you go on to <b>",
    r"[Ii]f you are at <a>, you go to <b>",
    r"[Ii]f <a> has the letter, <b> gets it next",
    r"[Tt]he one <a> (?:looks at|likes) is <b>",
    r"(?:[Nn]ext|[Rr]ight) after <a> (?:there )?is <b>",
    r"[Aa]fter <a> comes <b>",
    r"(?:[Rr]ight|[Dd]irectly) behind <a> (?:is|sits) <b>",
    r"[Tt]o the (?:right|left) of <a> sits <b>",
    r"[Oo]ne floor (?:above|below) <a> lives <b>",
)]  # fmt: skip


def hops_told(draw: Draw) -> list[tuple[str, str, int]]:
    """Return who points to whom, and the offset just past where it is told."""
    told = ordered_ends(POINTS, draw.choices, draw.question)
    return [(fields["a"], fields["b"], end) for fields, end in told]


def followed(draw: Draw) -> list[str]:
    statements = ordered(POINTS, draw.choices, draw.question)
    to = {fields["a"]: fields["b"] for fields in statements}
    assert len(to) == len(statements) >= draw.steps
    starts = [n for n in draw.choices if len(re.findall(rf"\b{n}\b", draw.question))
              > sum(list(f.values()).count(n) for f in statements)]  # fmt: skip
    (here,) = starts
    (count,) = re.findall(r"\d+", draw.question)
    run = []
    for _ in range(int(count)):
        here = to[here]
        run.append(here)
    return run


MORE = {
    "taller", "older", "faster", "stronger", "heavier", "richer", "bigger", "quicker", "louder",
    "happier", "bolder",
}  # fmt: skip
MOST = {
    "tallest", "oldest", "fastest", "strongest", "heaviest", "richest", "most", "biggest",
    "quickest", "loudest", "happiest", "boldest", "highest", "largest",
}  # fmt: skip
RELATIVE = (
    r"<a> (?:who )?(?:is|\w+ (?:out )?to be) (?:\w+ )*?(?P<m>\w+er) (?:than|.{,5}compared \w+) <b>",
    r"[Bb]etween <a> and <b> the (?P<m>\w+er) one is <c>",
    r"[Tt]he (?P<m>\w+er) of <a> and <b> is <c>",
    r"<a> is not as (?P<n>\w+) as <b>",
)


def compared(draw: Draw) -> list[str]:
    w = re.search(r"\bthe (\w+est|most|least)\b", draw.question)[1]
    relative = ordered(RELATIVE, draw.choices, draw.question)
    run = []
    if relative:
        beyond: dict[str, set[str]] = {}  # of everyone, those who are less of what is asked for
        for f in relative:
            a, b = f["a"], f["b"]
            if "n" in f or f.get("c") == b:
                a, b = b, a
            above = ("n" in f or f["m"] in MORE) == (w in MOST)
            winner, loser = (a, b) if above else (b, a)
            below = {loser, *beyond.setdefault(loser, set())}
            for others in beyond.values():
                if winner in others:
                    others.update(below)
            beyond[winner] = beyond.get(winner, set()) | below
            run.append(next((p for p, less in beyond.items() if len(less) == len(beyond) - 1), "?"))
        return run
    scores: dict[str, int] = {}
    people = [f["a"] for f in ordered((r"\b<a>",), draw.choices, draw.question)]
    for person, x in zip(people, re.findall(r"\d+", draw.question), strict=True):
        scores[person] = int(x)
        run.append((max if w in MOST else min)(scores, key=scores.__getitem__))
    assert len(set(scores.values())) == len(scores)
    return run[1:]


NUMBERS = {word: i for i, word in enumerate(calendars.COUNT_WORDS)} | {str(i): i for i in range(13)}

BACK = r"(?i)\b(?:back|backwards?|take away|takes off|earlier|before|past|minus|subtract|rewind)\b"
ON = r"(?i)\b(?:forward|ahead|adds?|later|after|on|future|plus|further|advance|wait|pass)\b"


def dated(draw: Draw) -> list[str]:
    values = draw.choices or tuple(str(hour) for hour in range(1, 13))
    now = values.index(re.search(rf"\b(?:{'|'.join(values)})\b", draw.question)[0])
    run = []
    for clause in re.split(r"[.;,!?:\n]|\band\b|\bthen\b", draw.question):
        count = re.search(r"(\w+) (?:day|month|hour)s?\b(?! of)", clause)
        if not count or count[1].lower() not in NUMBERS:
            continue  # what is asked
        back = re.search(BACK, clause)
        assert back or re.search(ON, clause), clause
        now += NUMBERS[count[1].lower()] * (-1 if back else 1)
        run.append(values[now % len(values)])
    return run


ROW_SWAPS = (
    r"<a> and <b> (?:swap|change|trade|switch|exchange|are swapped|take each other's)",
    r"<a> (?:swaps|changes|trades|switches|exchanges|is swapped)(?: places)? with <b>",
    r"(?:[Ss]waps?|swap of) <a> (?:and|with) <b>",
)
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def lined_up(draw: Draw) -> list[str]:
    text = draw.question
    row = sorted(draw.choices, key=lambda name: re.search(rf"\b{name}\b", text).start())
    asking = next(s for s in re.split(r"(?<=[.?]) ", text) if re.search("[Ww]ho(?!m)|[Ww]hich", s))
    asked = re.search("|".join(PLACES), asking)
    place = PLACES.index(asked[0]) if asked else 0
    run = []
    for f in ordered(ROW_SWAPS, draw.choices, text):
        i, j = row.index(f["a"]), row.index(f["b"])
        row[i], row[j] = row[j], row[i]
        run.append(row[place])
    return run


COUNTS = {"three": 3, "four": 4, "five": 5, "six": 6}
MOVES = r"\b(goe?s?|comes|moves?d?|walks|runs|steps|sen[dt]|bring)\b"
SWAPS = r"\b(swap|change|trade|switch|exchange|swapped)\b"
FORWARDS = r"\b(first|in front|at the front|at the head|front person|front two)\b"
BACKWARDS = r"\b(last|at the end|at the back|back person|back two)\b"


def queued(draw: Draw) -> list[str]:
    text = draw.question.lower()
    count = COUNTS[re.search(r"\b(three|four|five|six)\b", text)[0]]
    said = re.search(rf"\b(\d|{'|'.join(PLACES)})\b", text)
    place = int(said[0]) if said[0].isdigit() else PLACES.index(said[0]) + 1
    queue = ["x" if i == place else "-" for i in range(1, count + 1)]
    run = []
    for clause in re.split(r"[.,;\n]| and then ", text[said.end() :]):
        swap = re.search(SWAPS, clause)
        if not swap and not re.search(MOVES, clause):
            continue  # the rest of the opening, or what is asked
        front, back = re.search(FORWARDS, clause), re.search(BACKWARDS, clause)
        assert (front is None) != (back is None), clause
        if swap:
            assert "two" in clause
            i = 0 if front else count - 2
            queue[i], queue[i + 1] = queue[i + 1], queue[i]
        else:
            queue = [*queue[1:], queue[0]] if front else [queue[-1], *queue[:-1]]
        run.append(str(queue.index("x") + 1))
    return run


def sorted_out(draw: Draw) -> list[str]:
    if re.search(r"\b(line|queue)\b", draw.question):
        return lined_up(draw) if draw.choices else queued(draw)
    form = r"\b([A-Z])[,.]" if draw.choices else r"\d+"
    items = re.findall(form, draw.question)
    key: Callable[[str], int] = ord if draw.choices else int
    most = re.search("largest|biggest|highest|greatest|(?:last|latest) in|maximum", draw.question)
    rank = 1 if "second" in draw.question else 0
    return [sorted(items[:i], key=key, reverse=bool(most))[rank] for i in range(2, len(items) + 1)]


NOUN = r"(?P<x>\w+ (?:lamp|light|switch|fan|door|gate))"
SWITCHED = (
    rf"[Tt]he {NOUN} is (?P<s>on|off|open|closed)\b",
    rf"(?:, | and )the {NOUN} (?P<s>on|off|open|closed)\b",
    rf"[Tt]he {NOUN} (?:that )?(?:is |gets )?(?:\w+ed|turns|goes|comes|set to) (?P<s>on|off)\b",
    rf"(?:[Tt]urns?|[Ss]witch(?:es)?|[Pp]uts?|[Ss]ets?) the {NOUN} (?:to )?(?P<s>on|off)\b",
    rf"(?:[Tt]urns?|[Ss]witch(?:es)?) (?P<s>on|off) the {NOUN}",
    rf"(?P<s>[Oo]n|[Oo]ff) goes the {NOUN}",
    rf"[Tt]he {NOUN} (?:that )?(?:is |gets )?(?P<s>open)(?:ed|s)\b",
    rf"[Tt]he {NOUN} (?:that |is |gets |swings )?(?P<s>closes|shut)\b",
    rf"[Tt]he {NOUN} (?:gets|swings) (?P<s>closed|open)\b",
    rf"(?P<s>[Oo]pen|[Cc]lose|[Ss]hut)s?(?: up)? the {NOUN}",
    rf"pulls the {NOUN} (?P<s>open|closed)\b",
    rf"(?P<f>[Ff]lip|[Tt]oggle)s? the {NOUN}",
    rf"gives the {NOUN} a (?P<f>flip)",
    rf"(?P<f>state) of the {NOUN}",
    rf"[Tt]he {NOUN} (?:that )?(?:is |gets )?(?P<f>flipped|toggled|flips|toggles|changes)\b",
    rf"(?P<f>button) (?:of|for) the {NOUN}",
    rf"[Tt]he {NOUN} (?P<f>button)",
    r"(?P<f>[Aa]ll) (?:of )?the \w+ (?:are|get|change)\b",
    r"[Ee]very (?P<f>one) of the|[Tt]he \w+ are (?P<g>all)|[Ss]omeone \w+ (?P<h>all) the",
)
STATES = {"clos": "closed", "shut": "closed"}
# Only what is asked speaks of a lamp and says one of these.
ASKED = r"\?|\bor\b|[Tt]ell me|[Ff]ind out|[Mm]y question|want to know"


def switched(draw: Draw) -> list[str]:
    on, off = draw.choices
    other = {on: off, off: on}
    sentences = re.split(r"(?<=[.?!])\s", draw.question)
    asking = [s for s in sentences if re.search(f"the {NOUN}", s) and re.search(ASKED, s)]
    (asked,) = (re.search(f"the {NOUN}", s)["x"] for s in asking)
    states: dict[str, str] = {}
    run = []
    for f in ordered(SWITCHED, ("-",), draw.question.replace(*asking, "")):
        x, state = f.get("x"), f.get("s", "").lower()[:4]
        state = STATES.get(state, state)
        if x is None:
            states = {name: other[s] for name, s in states.items()}
        elif x not in states:
            states[x] = state
            continue
        else:
            states[x] = state or other[states[x]]
        run.append(states[asked])
    return run


SOLVERS: dict[str, Callable[[Draw], list[str]]] = {
    "passing": held, "turning": turned, "cups": uncovered, "pointers": followed,
    "comparisons": compared, "calendar": dated, "sorting": sorted_out, "switches": switched,
}  # fmt: skip
