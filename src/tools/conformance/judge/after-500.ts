import { rules } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { isSuccess, OTHER_STATUS } from './contract.js'
import type { Exchange } from './exchange.js'
import { failedIf, type Result } from './result.js'

/**
 * Whether a 500 is in the way of the same trigger later, although repeating it is safe. A 409 that comes to others as well, or to
 * one of them only, may be that of another run. Basis: S28.
 */
export class After500 {
  private readonly failed = new Set<string>()
  private readonly conflicts = new Map<string, Exchange>()
  private isOfOthers = false
  private isAccepted = false

  add(exchange: Exchange): void {
    const { operation, status, request } = exchange
    if (!isTrigger(operation)) return
    const name = [request.headers.get('authorization'), request.url.split('?')[0], request.body].join('\n')
    if (status === STATUS.internalError) this.failed.add(name)
    if (isSuccess(status)) this.isAccepted ||= this.conflicts.size > 0
    if (status !== OTHER_STATUS.conflict) return
    if (this.failed.has(name)) this.conflicts.set(name, exchange)
    else this.isOfOthers = true
  }

  results(): Result[] {
    const isFault = this.conflicts.size > 1 && !this.isOfOthers && this.isAccepted
    const [exchange] = this.conflicts.values()
    const must = `a trigger that got 500 must be safe to repeat, but each one that did gets ${OTHER_STATUS.conflict} from there on`
    return failedIf(isFault, rules.transientError, must, { exchange, keyword: 'status' })
  }
}
