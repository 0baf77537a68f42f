import type { Honest } from './honest-services.js'
import { assumedMutants } from './mutants/assumed.js'
import { credentialMutants } from './mutants/credentials.js'
import { limitMutants } from './mutants/limits.js'
import { responseMutants } from './mutants/responses.js'
import { runMutants } from './mutants/runs.js'
import type { Change, Trial } from './service.js'

/** One after the other, on one response. A response that is no longer what the second one changes stays as it is. */
export const both =
  (one: Change, other: Change): Change =>
  async (served, service) => {
    await one(served, service)
    try {
      await other(served, service)
    } catch (error) {
      if (error instanceof TypeError && error.message !== 'fetch failed') return
      throw error
    }
  }

export const together = (one: Trial, other: Trial): Trial => {
  const { before: first = (it) => it } = one
  const { before: second = (it) => it } = other
  return {
    ...one,
    ...other,
    options: { ...one.options, ...other.options },
    before: async (request) => second(await first(request)),
  }
}

const mutants = [...responseMutants, ...credentialMutants, ...runMutants, ...limitMutants, ...assumedMutants]
export const failing = mutants.filter(({ fails = [] }) => fails.length > 0)

/** Whether another change beside it still shows: these refuse what the other one needs, or replace the same part. */
export const isApart = ([name]: Honest): boolean =>
  !/^(the key|a connection|each trigger|errors are (empty|pages)|ids have|page and per_page|malformed parameters|there are no playbooks|the run quota|the playbook refuses|a trigger (responds|gets)|playbooks |JSON is|every response|a 429 asks for an hour|the workspace has (no fields|a list)|the first \d+ of)/.test(
    name,
  )
