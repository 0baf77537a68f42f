import type { OperationId } from '../../../../../generated/contract.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { isServerError, OTHER_STATUS } from '../../judge/contract.js'

/** A response to a request with a mistake, and what is known of right ones. */
export interface Attempt {
  operation: OperationId
  /** The request, for a sentence. */
  what: string
  /** The status that it must get, and those that are as good. */
  expected: number
  orElse: readonly number[]
  /** Whether the service may refuse it and need not. */
  isOptional: boolean
  /** The status that came; 0 without a response. */
  got: number
  /** Whether other requests failed at that time, too, and whether right ones of the same kind do. */
  isOutage: boolean
  isDown: boolean
  /** Whether it could start a run, and whether it was sent with the key of the workspace. */
  startsRun: boolean
  isOwnKey: boolean
  /** The status of the trigger that was meant to start a run, and whether it started one. */
  triggerStatus: number | undefined
  hasStarted: boolean
}

/** Why such a response does not show whether the mistake is refused; null where it does. */
type Row = readonly [applies: (attempt: Attempt) => boolean, reason: ((attempt: Attempt) => string) | null]

/** The first row that applies decides. */
const DECISIONS: readonly Row[] = [
  [({ isOutage }) => isOutage, ({ what }) => `The service was out of order when ${what} was sent.`],
  [({ isDown }) => isDown, ({ operation }) => downReason(operation)],
  [({ startsRun, got }) => startsRun && isServerError(got), ({ what, got }) => `${what} got ${got}.`],
  [isThrottledKey, () => 'Wrong keys got 429.'],
  [
    (attempt) => isOwnTrigger(attempt) && isRefusedLikeRightOne(attempt),
    ({ got }) =>
      `A trigger with nothing wrong got ${got}, too: its inputs may be wrong, or the key may lack the permission.`,
  ],
  [({ got, expected, orElse }) => got === expected || orElse.includes(got), null],
  [
    ({ operation, got }) => isTrigger(operation) && got === OTHER_STATUS.conflict,
    () => 'A trigger got 409: another run may be in the way.',
  ],
  [
    (attempt) => isOwnTrigger(attempt) && QUOTA.has(attempt.got),
    ({ got }) => `A trigger got ${got}: the run quota may be used up.`,
  ],
  [
    (attempt) => hidesPermission(attempt) && QUOTA.has(attempt.got),
    ({ got }) =>
      `A trigger got ${got}: the run quota may be used up and looked at before the permission, an order that is not stated.`,
  ],
  [
    (attempt) => isOwnTrigger(attempt) && isRightOneRefused(attempt) && attempt.got === STATUS.forbidden,
    ({ got }) => `A trigger got ${got}: the key may lack the permission.`,
  ],
  [
    ({ isOptional, got }) => isOptional && got !== 0 && !isServerError(got),
    ({ what, got }) => `Whether a service refuses ${what} is not stated; it got ${got}.`,
  ],
]

/** Why a response does not show whether the mistake is refused; undefined when it does. */
export function whyInconclusive(attempt: Attempt): string | undefined {
  const [, reason] = DECISIONS.find(([applies]) => applies(attempt)) ?? []
  return reason?.(attempt)
}

/** Whether a wrong key got what a service sends that has seen too many of them. */
export function isThrottledKey({ expected, got }: Pick<Attempt, 'expected' | 'got'>): boolean {
  return expected === STATUS.unauthorized && got === STATUS.rateLimited
}

const isOwnTrigger = ({ operation, isOwnKey }: Attempt): boolean => isTrigger(operation) && isOwnKey
const isRightOneRefused = ({ hasStarted }: Attempt): boolean => !hasStarted
const isRefusedLikeRightOne = (attempt: Attempt): boolean =>
  isRightOneRefused(attempt) && !isServerError(attempt.got) && attempt.got === attempt.triggerStatus

/** The quota may be used up since a trigger started a run, and be looked at before the permission. Basis: A46, A57. */
const hidesPermission = ({ operation, expected }: Attempt): boolean =>
  isTrigger(operation) && expected === STATUS.forbidden

export const downReason = (operation: OperationId): string =>
  `${operation} responds with a 5xx to right requests too, so nothing could be checked with wrong ones.`

/** Statuses of a quota that is used up. */
export const QUOTA: ReadonlySet<number> = new Set([OTHER_STATUS.paymentRequired, STATUS.rateLimited])
