"""Ways to define values one by the other, and to ask for the last."""

from __future__ import annotations

from typing import NamedTuple

from serial.forms import Forms


class Lines(NamedTuple):
    """A way to define values: the first, one above and one below another, and the question.

    ``{x}`` is the name that is defined, ``{y}`` the one it is defined by; ``asks`` are pairs of
    question and reply. ``joins`` stand between lines; the last of each is what precedes the
    question.
    """

    firsts: Forms
    ups: Forms
    downs: Forms
    asks: Forms
    joins: tuple[tuple[str, str], ...]


SEPARATE = ((". ", ". "),) * 4 + ((", ", ". "), ("; ", ". "), ("\n", "\n"))
# Only training draws these.
MORE_JOINS = (
    (", and ", ". "), (". And ", ". "), (". Also, ", ". "), (". ", ".\n"), (". ", ". Question: "),
    (".\n", ".\n"), (", ", ".\n"), ("; ", ". Question: "), ("\n", "\nQuestion: "),
)  # fmt: skip
ASKED = Forms(
    (
        ("What is {x}?", "{x} is {v}."),
        ("What is {x}?", "{x} is {v}."),
        ("Find {x}.", "{x} is {v}."),
        ("What is the value of {x}?", "The value of {x} is {v}."),
        ("Tell me {x}.", "{x} is {v}."),
        ("How much is {x}?", "{x} is {v}."),
        ("Which number is {x}?", "{x} is {v}."),
        ("Can you work out the value of {x}?", "The value of {x} is {v}."),
    ),
    (
        ("Find the value of {x}.", "The value of {x} is {v}."),
        ("Can you tell me what {x} is?", "{x} is {v}."),
        ("Which value is {x}?", "The value of {x} is {v}."),
        ("Work out {x}.", "{x} is {v}."),
    ),
    (("What number is {x}?", "{x} is {v}."), ("What does {x} equal?", "{x} equals {v}."),
     ("What is {x} equal to?", "{x} is equal to {v}."),
     ("What value does {x} have?", "{x} has the value {v}."), ("Give me {x}.", "{x} is {v}."),
     ("Give the value of {x}.", "The value of {x} is {v}."), ("Calculate {x}.", "{x} is {v}."),
     ("Compute the value of {x}.", "The value of {x} is {v}."), ("Determine {x}.", "{x} is {v}."),
     ("What do you get for {x}?", "You get {v} for {x}."), ("{x} = ?", "{x} = {v}."),
     ("I want to know {x}.", "{x} is {v}."),
     ("I would like to know the value of {x}.", "The value of {x} is {v}."),
     ("Do you know what {x} is?", "{x} is {v}."), ("Could you find {x}?", "{x} is {v}."),
     ("How big is {x}?", "{x} is {v}."), ("What must {x} be?", "{x} must be {v}."),
     ("Which number does {x} stand for?", "{x} stands for {v}."),
     ("Solve for {x}.", "{x} is {v}."), ("What is the number {x}?", "The number {x} is {v}."),
     ("What comes out for {x}?", "{x} is {v}."), ("{x} is what number?", "{x} is {v}."),
     ("Please find {x}.", "{x} is {v}."), ("What can we say {x} is?", "{x} is {v}.")),
)  # fmt: skip
SIGNED = Lines(
    Forms(
        ("{x} = {v}", "{x} = {v}", "let {x} = {v}", "{x} is {v}"),
        ("take {x} = {v}", "say {x} = {v}"),
        ("{x}={v}", "{x} := {v}", "{x} <- {v}", "define {x} = {v}", "suppose {x} = {v}",
         "put {x} = {v}", "assume {x} = {v}", "we have {x} = {v}", "we know {x} = {v}",
         "it is given that {x} = {v}", "let {x} equal {v}", "the value of {x} = {v}",
         "for {x} take {v}", "{x} takes the value {v}", "{x} = {v} to begin with"),
    ),
    Forms(("{x} = {y} + {d}", "{x} = {y} + {d}", "{x} = {d} + {y}"), ("{x} = {y} + {d}",),
        ("{x}={y}+{d}", "{x}={d}+{y}", "{x} := {y} + {d}", "{x} <- {y} + {d}",
         "let {x} = {y} + {d}", "define {x} = {y} + {d}", "put {x} = {y} + {d}",
         "we have {x} = {y} + {d}", "{y} + {d} = {x}", "{d} + {y} = {x}"),
    ),
    Forms(("{x} = {y} - {d}",), ("{x} = {y} - {d}",),
        ("{x}={y}-{d}", "{x} := {y} - {d}", "{x} <- {y} - {d}", "let {x} = {y} - {d}",
         "define {x} = {y} - {d}", "put {x} = {y} - {d}", "we have {x} = {y} - {d}",
         "{y} - {d} = {x}", "{x} = -{d} + {y}"),
    ),
    ASKED,
    SEPARATE,
)  # fmt: skip
SPOKEN = Lines(
    Forms(
        ("{x} is {v}", "let {x} be {v}", "say {x} is {v}", "{x} equals {v}"),
        ("take {x} to be {v}", "say that {x} is {v}"),
        ("{x} stands for {v}", "the value of {x} is {v}", "{x} has the value {v}",
         "{x} is equal to {v}", "{x} is the number {v}", "suppose {x} is {v}",
         "assume that {x} is {v}", "imagine that {x} is {v}", "{v} is the value of {x}",
         "give {x} the value {v}", "we know that {x} is {v}", "{x} is exactly {v}",
         "{x} is known to be {v}", "write {x} for {v}", "the number {x} is {v}",
         "for {x} take {v}", "take {v} for {x}", "{x} takes the value {v}", "{x} starts as {v}"),
    ),
    Forms(
        ("{x} is {y} plus {d}", "{x} is {d} more than {y}", "{x} equals {y} plus {d}",
         "add {d} to {y} to get {x}", "{d} more than {y} is {x}"),
        ("{x} equals {d} more than {y}", "{y} plus {d} is {x}"),
        ("{x} is the sum of {y} and {d}", "{x} is {y} increased by {d}",
         "{x} is {y} with {d} added", "{x} is greater than {y} by {d}",
         "{x} is {d} greater than {y}", "{x} is {d} bigger than {y}", "{x} is {d} above {y}",
         "{x} lies {d} above {y}", "{x} exceeds {y} by {d}", "to get {x}, add {d} to {y}",
         "get {x} by adding {d} to {y}", "adding {d} to {y} gives {x}",
         "if you add {d} to {y}, you get {x}", "{y} increased by {d} gives {x}",
         "{y} and {d} together make {x}", "{d} added to {y} makes {x}",
         "raise {y} by {d} to get {x}", "go up {d} from {y} to reach {x}",
         "counting {d} up from {y} gives {x}", "{x} is what you get when you add {d} to {y}",
         "take {y} and add {d} to get {x}", "the sum of {y} and {d} is {x}"),
    ),
    Forms(
        ("{x} is {y} minus {d}", "{x} is {d} less than {y}", "{x} equals {y} minus {d}",
         "take {d} from {y} to get {x}", "{d} less than {y} is {x}"),
        ("{x} equals {d} less than {y}", "{y} minus {d} is {x}"),
        ("{x} is {y} reduced by {d}", "{x} is {y} with {d} taken away",
         "{x} is smaller than {y} by {d}", "{x} is {d} smaller than {y}",
         "{x} is {d} lower than {y}", "{x} is {d} below {y}", "{x} lies {d} below {y}",
         "{x} falls short of {y} by {d}", "to get {x}, subtract {d} from {y}",
         "get {x} by taking {d} away from {y}", "subtracting {d} from {y} gives {x}",
         "if you take {d} away from {y}, you get {x}", "{y} reduced by {d} gives {x}",
         "{y} without {d} makes {x}", "{d} taken away from {y} leaves {x}",
         "lower {y} by {d} to get {x}", "go down {d} from {y} to reach {x}",
         "counting {d} down from {y} gives {x}",
         "{x} is what you get when you subtract {d} from {y}",
         "take {y} and subtract {d} to get {x}", "{x} is what is left of {y} without {d}"),
    ),
    ASKED,
    SEPARATE[:4],
)  # fmt: skip
LETTERS = (SIGNED, SIGNED, SPOKEN)
# The one phrasing of the first model.
PLAIN = Lines(
    Forms(("{x} = {v}",), ()), Forms(("{x} = {y} + {d}",), ()), Forms(("{x} = {y} - {d}",), ()),
    Forms((("What is {x}?", "{x} is {v}."),), ()), SEPARATE[:1],
)  # fmt: skip

OPENINGS = Forms(
    ("Last digits:", "Mod 10:", "Only the last digit counts:", "Keep only the last digit:",
     "Everything is mod 10.", "Work mod 10.",
     "Keep the last digit only, and add 10 if it is below 0.",
     "A program that works mod 10:", "Last digits only:", "All values are last digits:"),
    ("Only last digits count:", "All values are mod 10:",
     "A program that keeps only the last digit:",
     "Everything works mod 10.", "Keep the last digits only:"),
    ("Modulo 10:", "Count modulo 10.", "Calculate modulo 10:", "Arithmetic mod 10:",
     "A little program mod 10:", "This program works modulo 10.",
     "Drop everything but the last digit.", "After each step keep just the last digit.",
     "Forget all but the last digit:", "The numbers wrap around, so that 0 comes after 9.",
     "Ignore the tens:", "The tens do not count.", "Only the ones digit matters:",
     "Every result is taken mod 10.", "Reduce each result mod 10.",
     "All sums and differences are mod 10:", "In all of this only the last digit is kept.",
     "Every variable holds one digit, modulo 10.", "Each line is worked out mod 10:",
     "We count in a circle from 0 to 9.", "With last digits:"),
)  # fmt: skip
SETS = Forms(
    ("{x} = {v}", "{x} = {v}", "{x} is {v}", "set {x} to {v}"),
    ("start with {x} = {v}", "set {x} = {v}"),
    ("let {x} = {v}", "let {x} be {v}", "{x} := {v}", "{x}={v}", "{x} <- {v}", "{x} starts at {v}",
     "{x} starts as {v}", "{x} gets {v}", "{x} holds {v}", "{x} equals {v}", "store {v} in {x}",
     "put {v} into {x}", "assign {v} to {x}", "give {x} the value {v}", "define {x} as {v}",
     "write {v} into {x}"),
)  # fmt: skip
# Pairs: a sum, and the difference.
PLUS = Forms(
    (("{x} = {y} + {z}", "{x} = {y} - {z}"),) * 5
    + (("{x} is {y} plus {z}", "{x} is {y} minus {z}"),
       ("set {x} to {y} + {z}", "set {x} to {y} - {z}")),
    (("{x} = {y} + {z}", "{x} = {y} - {z}"),) * 3
    + (("{x} is {y} + {z}", "{x} is {y} - {z}"),
       ("set {x} to {y} plus {z}", "set {x} to {y} minus {z}")),
    (("{x} = {y} + {z}", "{x} = {y} - {z}"), ("{x} = {y} + {z}", "{x} = {y} - {z}"),
     ("{x} = {y} + {z}", "{x} = {y} - {z}"), ("{x} := {y} + {z}", "{x} := {y} - {z}"),
     ("{x}={y}+{z}", "{x}={y}-{z}"), ("{x} <- {y} + {z}", "{x} <- {y} - {z}"),
     ("let {x} = {y} + {z}", "let {x} = {y} - {z}"),
     ("let {x} be {y} plus {z}", "let {x} be {y} minus {z}"),
     ("{y} + {z} = {x}", "{y} - {z} = {x}"), ("{y} plus {z} gives {x}", "{y} minus {z} gives {x}"),
     ("{x} equals {y} plus {z}", "{x} equals {y} minus {z}"),
     ("{x} gets {y} + {z}", "{x} gets {y} - {z}"),
     ("{x} becomes {y} plus {z}", "{x} becomes {y} minus {z}"),
     ("{x} holds {y} + {z}", "{x} holds {y} - {z}"),
     ("{x} is the sum of {y} and {z}", "{x} is {y} less {z}"),
     ("store {y} + {z} in {x}", "store {y} - {z} in {x}"),
     ("put {y} plus {z} into {x}", "put {y} minus {z} into {x}"),
     ("assign {y} + {z} to {x}", "assign {y} - {z} to {x}"),
     ("define {x} as {y} + {z}", "define {x} as {y} - {z}"),
     ("add {z} to {y} to get {x}", "take {z} from {y} to get {x}"),
     ("get {x} by adding {z} to {y}", "get {x} by subtracting {z} from {y}"),
     ("adding {z} to {y} gives {x}", "subtracting {z} from {y} gives {x}")),
)  # fmt: skip
ENDS = Forms(
    (
        ("What is {x}?", "{x} is {v}."),
        ("{x}?", "{x} is {v}."),
        ("What is the last digit of {x}?", "The last digit is {v}."),
        ("Find {x}.", "{x} is {v}."),
        ("What is {x} at the end?", "{x} is {v}."),
        ("What does {x} hold?", "{x} holds {v}."),
        ("Tell me {x}.", "{x} is {v}."),
    ),
    (
        ("Find the last digit of {x}.", "The last digit is {v}."),
        ("What does {x} hold at the end?", "{x} holds {v}."),
        ("Tell me what {x} is.", "{x} is {v}."),
        ("What is {x} now?", "{x} is {v}."),
    ),
    (("What is the value of {x}?", "The value of {x} is {v}."),
     ("Which digit is {x}?", "{x} is {v}."), ("What digit does {x} hold?", "{x} holds {v}."),
     ("What is the final value of {x}?", "The final value of {x} is {v}."),
     ("What is stored in {x}?", "{x} holds {v}."), ("What ends up in {x}?", "{x} holds {v}."),
     ("What does the program give for {x}?", "The program gives {v}."),
     ("What is {x} when the program ends?", "{x} is {v}."),
     ("What does {x} equal?", "{x} equals {v}."),
     ("What do you get for {x}?", "You get {v} for {x}."), ("Give me {x}.", "{x} is {v}."),
     ("Print {x}.", "{x} is {v}."), ("Compute {x}.", "{x} is {v}."),
     ("Could you find {x}?", "{x} is {v}."), ("How much is {x}?", "{x} is {v}."),
     ("Which number does {x} end with?", "{x} ends with {v}.")),
)  # fmt: skip
