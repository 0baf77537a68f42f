import { protocol } from '../../../../generated/contract.js'
import { isServerError } from './contract.js'
import type { Exchange } from './exchange.js'
import { counted } from './result.js'

/** What all requests share that got a 5xx, and none that got another status. */
export class Failing {
  private failed = 0
  /** The requests that failed: one that is sent again is none of the others. */
  private readonly names = new Set<string>()
  /** By feature, how many failed and how many did not. */
  private readonly counts = new Map<string, { failed: number; others: number }>()

  add({ request, status, failure }: Exchange, isTogether: boolean, isRightKey: boolean): void {
    if (failure) return
    const isFailed = isServerError(status)
    const name = [request.method, request.url, ...[...request.headers].flat(), String(request.body)].join('\n')
    if (isFailed) this.names.add(name)
    else if (this.names.has(name)) return
    if (isFailed) this.failed++
    const hasKey = request.headers.has('authorization')
    const features: [feature: string, has: boolean][] = [
      ['pinned to a release', request.headers.has(protocol.versionHeader)],
      ['sent with a query', request.url.includes('?')],
      ['sent without a key', !hasKey],
      ['sent with a wrong key', hasKey && !isRightKey],
      ['sent at the same time as others', isTogether],
    ]
    for (const [feature, has] of features) {
      const count = this.counts.get(feature) ?? { failed: 0, others: 0 }
      if (has)
        this.counts.set(feature, {
          ...count,
          [isFailed ? 'failed' : 'others']: count[isFailed ? 'failed' : 'others'] + 1,
        })
    }
  }

  /** A sentence for the report; undefined when they share nothing. */
  remark(): string | undefined {
    if (this.failed < SEVERAL) return undefined
    const shared = [...this.counts].filter(([, { failed, others }]) => failed === this.failed && others === 0)
    const features = shared.map(([feature]) => feature).join(', and ')
    return features && `${counted(this.failed, 'request')} got a 5xx: all that were ${features}, and no other.`
  }
}

/** Fewer may have something in common by chance. */
const SEVERAL = 3
