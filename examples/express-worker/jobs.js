import Database from 'libsql'

/**
 * The table of what has to be done, which survives a restart. A job is
 *
 *   wanted      nothing was sent yet
 *   triggering  written right before the trigger is sent
 *   running     the run exists, and its id is here
 *   refused     the service refused the trigger
 *   unknown     the response was lost, or has no id: the run may exist, so a person decides
 *
 * and at last has the status with which its run ended.
 */
export function openJobs(file) {
  const database = new Database(file)
  // What was written is there after a crash.
  database.pragma('journal_mode = WAL')
  database.exec(`CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY,
    playbook TEXT NOT NULL,
    inputs TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'wanted',
    run TEXT
  )`)
  const insert = database.prepare('INSERT OR IGNORE INTO jobs (id, playbook, inputs) VALUES (?, ?, ?)')
  const select = database.prepare('SELECT * FROM jobs WHERE id = ?')
  const selectState = database.prepare('SELECT * FROM jobs WHERE state = ?')
  const update = database.prepare('UPDATE jobs SET state = ?, run = coalesce(?, run) WHERE id = ?')
  const read = (row) =>
    row && { id: row.id, playbook: row.playbook, inputs: JSON.parse(row.inputs), state: row.state, run: row.run }
  return {
    /** Adds a job; one with the same id stays as it is, so a caller may ask twice. */
    add: ({ id, playbook, inputs }) => insert.run(id, playbook, JSON.stringify(inputs)),
    get: (id) => read(select.get(id)),
    inState: (state) => selectState.all(state).map(read),
    set: (id, state, run) => update.run(state, run ?? null, id),
    close: () => database.close(),
  }
}
