"""The store of chats: one SQLite file, one thread that writes it. No Qt, no engine.

In use::

    lock = FolderLock(folder)                    # AlreadyOpen: another app has the folder
    store = ChatStore(open_database(folder), notify)
    store.opening.sentence                       # "" or what the user must know
    store.save(conversation, question).add_done_callback(start_the_engine)
    store.checkpoint(conversation, answer)       # at every flush of words
    store.save(conversation, answer)             # when it has ended
    store.close()

What is durable when:

- ``save`` is one transaction: the messages handed in and the conversation's own row (its head on
  screen, title, pin, draft, depth). When its future is True they are on the disk and survive the
  death of the process, the system and the power. False: they are kept in memory, ``notify`` got
  a ``NotSaved`` with one sentence, and they are tried again with the next write and every few
  seconds until an ``AllSaved``. Start the engine in either case. Saving takes a snapshot at once,
  never waits, never raises.
- ``checkpoint`` is the same within a second, and only the newest state is written: kill -9 loses
  the last second of an answer, or of a draft. It needs no message.
- Order is kept: what was handed in first is never in the file without what came before it.
- An answer saved as WRITING is INTERRUPTED when the file is opened next.
- ``load`` and ``chats`` show what was handed in, written or not; ``search`` what is written and
  finished.
- ``delete`` hides at once. Ten seconds later, at closing or at the next start the rows go, their
  text is overwritten in the file, in the search index and in the log. ``undo_delete`` before that
  brings them back whole. What is saved to a hidden chat goes with it.
- ``import_file`` adds what is not there yet, in one transaction: all of a file or nothing.
- ``close`` writes what waits, within its deadline.

A file that is damaged, too new or cannot be written never keeps the app from starting:
``open_database`` returns an opening with a ``State`` and one sentence. A damaged file is renamed
and what can be read of it comes over in the background (``Recovered``). A temporary chat is one
that nobody hands in. The file belongs to the process that holds the ``FolderLock``.
"""

from app.domain.store.adding import Added, ImportFailed
from app.domain.store.chats import ChatStore
from app.domain.store.database import Opening, State, open_database
from app.domain.store.events import AllSaved, NotSaved, Recovered, StoreEvent
from app.domain.store.location import AlreadyOpen, FolderLock, data_folder
from app.domain.store.reader import ChatSummary, Hit, ReadFailed
from app.domain.store.records import title_of
from app.domain.store.transfer import ExportFailed, markdown, write_markdown
from app.domain.store.writer import Timing

__all__ = [
    "Added",
    "AllSaved",
    "AlreadyOpen",
    "ChatStore",
    "ChatSummary",
    "ExportFailed",
    "FolderLock",
    "Hit",
    "ImportFailed",
    "NotSaved",
    "Opening",
    "ReadFailed",
    "Recovered",
    "State",
    "StoreEvent",
    "Timing",
    "data_folder",
    "markdown",
    "open_database",
    "title_of",
    "write_markdown",
]
