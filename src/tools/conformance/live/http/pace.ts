import type { Limit } from '../../../../internal/limits/limit.js'
import { fullBucket, take, waitFor } from '../../../../internal/limits/token-bucket.js'
import { apiPlans } from '../../judge/contract.js'
import type { Exchange } from '../../judge/exchange.js'
import { statedLimit } from '../../judge/semantics.js'
import type { ConformanceSettings } from '../../options.js'

/** The rate that is kept to: that of the plan, until a 429 states another one. */
export class Pace {
  private limit: Limit
  private readonly bucket

  constructor(private readonly settings: ConformanceSettings) {
    this.limit = settings.pace
    this.bucket = fullBucket(this.limit, settings.clock.now())
  }

  /** How long the next request has to wait, in ms. */
  wait(): number {
    return waitFor(this.bucket, this.limit, this.settings.clock.now())
  }

  take(): void {
    take(this.bucket, this.limit, this.settings.clock.now())
  }

  /** Pauses further requests as after a 429. */
  pause(): void {
    Object.assign(this.bucket, { tokens: 0, at: this.settings.clock.now() })
  }

  /** Without a named plan the one that was expected may be another one. Basis: S30. */
  follow({ body }: Exchange): void {
    const stated = statedLimit(body)
    if (!stated || this.settings.plan !== undefined) return
    const known = apiPlans.find(({ requestsPerMinute }) => requestsPerMinute === stated)
    this.limit = known ?? { requestsPerMinute: stated, burst: Math.min(stated, this.limit.burst) }
  }
}
