import type { JudgedExchange } from '../../judge/judge.js'
import type { TestRequest } from '../request.js'

/** What is said between layers. */
export interface How {
  /** The rate was waited for already. */
  isReserved?: boolean
}

export type SendTest = (request: TestRequest, how?: How) => Promise<JudgedExchange>
export type HttpLayer = (next: SendTest) => SendTest

/** The first layer is the outermost one. */
export const compose = (layers: readonly HttpLayer[], send: SendTest): SendTest =>
  layers.reduceRight((next, layer) => layer(next), send)
