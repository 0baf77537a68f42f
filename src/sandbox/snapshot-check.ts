import { validate } from '../../generated/validators.js'
import {
  OBJECT,
  type OptionRule,
  type OptionRules,
  shown,
  TRUE_OR_FALSE,
  throwIfProblems,
  wholeNumber,
} from '../internal/options.js'
import { RUN_STATUS } from '../internal/status.js'
import { planRule, type StoredBuckets } from '../service/limit.js'
import type { StoredTime } from './clock.js'
import { checkFault } from './faults/check.js'
import type { StoredFaults } from './faults/store.js'
import type { StoredRun } from './runs/progress.js'
import type { StoredRuns } from './runs/store.js'

interface Parts {
  time: StoredTime
  runs: StoredRuns
  limits: StoredBuckets
  faults: StoredFaults
}

/** Checks what does not depend on the world but for its keys. @throws TypeError that names what is wrong */
export function checkParts({ time, runs, limits, faults }: Parts, keyNames: ReadonlySet<string>): void {
  requirePart('time', time, TIME)
  requirePart('runs', { count: runs.count }, { count: COUNT })
  requirePart('faults', { count: faults.count }, { count: wholeNumber(0) })
  for (const [index, run] of runs.runs.entries()) requirePart(`runs/${index}`, run, RUN)
  for (const [index, each] of limits.entries()) requirePart('limits', { [index]: each }, { [index]: BUCKET })
  for (const [index, each] of faults.waiting.entries()) {
    checkFault(Object(each).fault, keyNames)
    requirePart(`faults/${index}`, each, FAULT)
  }
}

/** Checks that the playbooks have the states of runs. @throws TypeError that names what is wrong */
export function checkRuns(runs: readonly StoredRun[]): void {
  const ids = new Set<string>()
  for (const { id, timestamp: started_at, script, timeline, begun, ended } of runs) {
    const { playbook, steps } = script
    const fits = timeline ? begun < timeline.length : begun <= steps.length && [0, 1].includes(begun - ended)
    const states = timeline ?? [{ status: RUN_STATUS.running, steps: [] }]
    throwIfProblems(`The snapshot is damaged in the run ${shown(id)}`, [
      ids.has(id) && 'another run has the same id',
      !fits && `${begun} steps begun and ${ended} ended do not fit its playbook`,
      ...states.flatMap((state) =>
        validate('Run', { ...state, id, playbook_id: playbook.id, started_at }).map(({ message }) => message),
      ),
    ])
    ids.add(id)
  }
}

/** Everything that the rules name must be there. */
function requirePart<Part>(name: string, part: Part, rules: OptionRules<Part>): void {
  const problems = Object.entries<OptionRule>(rules).map(
    ([property, [isValid, expected]]) => !isValid(Object(part)[property]) && `${property} must be ${expected}`,
  )
  throwIfProblems(`The snapshot is damaged in ${name}`, problems)
}

const TEXT: OptionRule = [(value) => typeof value === 'string', 'a text']
/** The ids of more runs repeat. */
const COUNT = wholeNumber(0, 2 ** 32)
const NUMBER: OptionRule = [Number.isFinite, 'a number']
const MILLISECONDS: OptionRule = [
  (value) => typeof value === 'number' && value >= 0 && !Number.isNaN(new Date(value).getTime()),
  'a time in ms since 1970',
]

const optional = ([isValid, expected]: OptionRule): OptionRule => [
  (value) => value === undefined || isValid(value),
  expected,
]

const TIME: OptionRules<StoredTime> = { limits: MILLISECONDS, runs: MILLISECONDS, paused: TRUE_OR_FALSE }

const RUN: OptionRules<StoredRuns['runs'][number]> = {
  id: TEXT,
  workspace: TEXT,
  playbook_id: TEXT,
  inputs: [(value) => validate('RunInputs', value).length === 0, 'an object of texts'],
  number: COUNT,
  timestamp: TEXT,
  begun: wholeNumber(-1),
  ended: wholeNumber(0),
  since: NUMBER,
  rejected: TRUE_OR_FALSE,
  starts: optional([(value) => Array.isArray(value) && value.every(Number.isFinite), 'a list of numbers']),
  timeline: optional([
    (value) => Array.isArray(value) && value.length > 0 && value.every((state) => Number.isFinite(Object(state).after)),
    'a list of states',
  ]),
}

const FAULT: OptionRules<StoredFaults['waiting'][number]> = {
  number: wholeNumber(1),
  fault: OBJECT,
  left: optional([(value) => typeof value === 'number' && value > 0, 'a number above 0']),
  calls: wholeNumber(0),
  hits: wholeNumber(0),
}

const BUCKET: OptionRule = [
  (value) => {
    const [id, stored] = Array.isArray(value) ? value : []
    const { limit, bucket } = Object(stored)
    const { tokens, at } = Object(bucket)
    return TEXT[0](id) && OBJECT[0](limit) && planRule(0)[0](limit) && [tokens, at].every(Number.isFinite)
  },
  '[id, { limit, bucket }]',
]
