import { type OperationId, operations } from '../../generated/operations.js'

/** Whether a success of an operation starts a run: such an operation counts against the quota of runs. Basis: S36. */
export const isTrigger = (operation: OperationId): boolean => operations[operation].quota === 'runs'
