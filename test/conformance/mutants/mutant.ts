import type { Change, Served, Trial } from '../service.js'

/** A service that differs from the contract, and what a report has to say of it: some of these entries, and no other. */
export interface Mutant {
  name: string
  /** Entries of the register. Those that bind fail; what is only assumed or observed is contradicted. */
  violates: string[]
  change: Change
  trial?: Trial | undefined
}

/** Mutants by the one entry that each of them violates, and by their names. */
export const violating = (byEntry: Record<string, Record<string, Change>>, trial?: Trial): Mutant[] =>
  Object.entries(byEntry).flatMap(([id, changes]) =>
    Object.entries(changes).map(([name, change]) => ({ name, violates: [id], change, trial })),
  )

/** Changes the responses to one kind of request. */
export const when =
  (which: (served: Served) => boolean, act: Change): Change =>
  (served, service) =>
    which(served) ? act(served, service) : undefined

/** Changes successes below a path. */
export const success = (path: RegExp, act: Change): Change =>
  when(({ status, path: own }) => status < 300 && path.test(own), act)

export const run = (act: Change): Change => success(/^\/runs\//, act)
export const triggered = (act: Change): Change => when(({ status }) => status === 201, act)
export const limited = (act: Change): Change => when(({ status }) => status === 429, act)

/** Responds with an error of the contract's shape. */
export const refuse = (served: Served, status: number, error = 'bad_request'): Served =>
  Object.assign(served, { status, body: { error, message: 'It was refused.' } })

export const refusing =
  (status: number, error?: string): Change =>
  (served) =>
    refuse(served, status, error)

/** Responds with a 429 of the rate limit. */
export function limit(served: Served, wait = 1): void {
  const body = { error: 'rate_limit_exceeded', message: 'Over 60 requests per minute.', retry_after: wait }
  Object.assign(served, { status: 429, body })
  served.headers.set('retry-after', String(wait))
}

/** Responds with what the valid key gets, whatever was asked for. */
export const accept =
  (path?: string): Change =>
  async (served, { fetch, baseUrl, keys }) => {
    const response = await fetch(baseUrl + (path ?? served.path), {
      headers: { authorization: `Bearer ${keys.valid}` },
    })
    served.status = response.status
    served.headers = new Headers(response.headers)
    served.body = await response.json()
  }

/** The body of an accepted trigger that started nothing. */
export const acceptTrigger: Change = (served) =>
  Object.assign(served, { status: 201, body: { id: `run_${served.number}` } })

export const isTrigger = ({ method }: Served): boolean => method === 'POST'
export const isRead = ({ method }: Served): boolean => method === 'GET'
/** Whether it is about a playbook or run that exists. */
export const isReal = ({ path }: Served): boolean => /\/(pb|run)_(?!0+(\/|$))/.test(path)
