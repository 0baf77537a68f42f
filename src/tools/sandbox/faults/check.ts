import { operations } from '../../../../generated/contract.js'
import { isShallow, MAX_DEPTH } from '../../../internal/http/json.js'
import {
  integer,
  OBJECT,
  type OptionRule,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  TRUE_OR_FALSE,
  throwIfProblems,
} from '../../../internal/options.js'
import { LONGEST_DELAY } from '../../../internal/time/time.js'
import { unknownKey } from '../world/name.js'
import type { Fault, FaultEffect } from './types.js'

const isDelay = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= LONGEST_DELAY
const COUNT = integer(0)
const SOME = integer(1)
const TEXT: OptionRule = rule((value) => typeof value === 'string', 'a string')

const isJson = (value: unknown): boolean => {
  try {
    return isShallow(value, MAX_DEPTH) && JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

const EFFECT_RULES: OptionRules<FaultEffect> = {
  status: integer(200, 599),
  retryAfter: rule((value) => value === false || COUNT.accepts(value), `${COUNT.expected}, or false for none`),
  body: rule(isJson, 'a string or a JSON value'),
  headers: rule(
    (value) => OBJECT.accepts(value) && Object.entries(value as object).every(isHeader),
    'an object of headers, whose names and values are valid in HTTP',
  ),
  delay: rule(
    (value) =>
      isDelay(value) || (Array.isArray(value) && value.length === 2 && value.every(isDelay) && value[0] <= value[1]),
    `0 to ${LONGEST_DELAY} ms, or [min, max] of these`,
  ),
  drop: TRUE_OR_FALSE,
  malformed: TRUE_OR_FALSE,
  cutOff: TRUE_OR_FALSE,
  after: rule((value) => value === 'effect', "'effect'"),
}

const FAULT_RULES: OptionRules<Fault> = {
  ...EFFECT_RULES,
  operation: oneOf(...Object.keys(operations)),
  key: TEXT,
  run: TEXT,
  playbook: TEXT,
  skip: integer(0),
  probability: rule((value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1'),
  times: rule((value) => value === Number.POSITIVE_INFINITY || SOME.accepts(value), SOME.expected),
  untilCleared: TRUE_OR_FALSE,
  sequence: rule((value) => Array.isArray(value) && value.length > 0, 'a non-empty list of effects'),
}

const isHeader = ([name, value]: [string, unknown]): boolean => {
  try {
    new Headers([[name, value as string]])
    return typeof value === 'string'
  } catch {
    return false
  }
}

const waitsWithoutStatus = (effect: FaultEffect | null | undefined): boolean =>
  effect?.retryAfter !== undefined && effect.status === undefined

/** @throws TypeError that names every problem */
export function checkFault(fault: Fault, keyNames: ReadonlySet<string>): void {
  const { key, times, untilCleared, sequence, operation, run, playbook, skip, probability, ...effect } = fault ?? {}
  // An empty body, null and a delay of 0 are effects.
  const isEmpty = Object.values({ ...effect, after: undefined, retryAfter: undefined }).every(
    (each) => each === undefined || each === false,
  )
  throwIfProblems('This fault cannot be injected', [
    ...optionProblems(fault, FAULT_RULES),
    ...(Array.isArray(sequence) ? sequence : []).flatMap((each, index) => [
      ...optionProblems(each, EFFECT_RULES, `sequence/${index}/`),
      waitsWithoutStatus(each) && `sequence/${index}/retryAfter needs a status`,
    ]),
    !isEmpty && waitsWithoutStatus(fault) && 'retryAfter needs a status',
    isEmpty && !sequence && 'it needs status, body, headers, delay, drop, malformed, cutOff or sequence',
    !isEmpty && sequence !== undefined && 'with a sequence, effects go inside it',
    times !== undefined && untilCleared === true && 'times and untilCleared cannot be combined',
    unknownKey(key, keyNames),
  ])
}
