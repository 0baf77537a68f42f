import type { JudgedExchange } from '../../judge/judge.js'
import type { TestRequest } from '../request.js'

/** What is said between layers. */
export interface How {
  /** The rate was waited for already. */
  isReserved?: boolean
}

export type Send = (request: TestRequest, how?: How) => Promise<JudgedExchange>
export type Layer = (next: Send) => Send

/** The first layer is the outermost one. */
export const compose = (layers: readonly Layer[], send: Send): Send =>
  layers.reduceRight((next, layer) => layer(next), send)
