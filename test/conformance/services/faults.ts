import { body, instead, reply, type When } from './changes.js'
import { createService } from './create.js'
import type { Ask, Driver } from './driver.js'
import { at } from './situations.js'
import type { Behaviours, Change, Context, Json, Reply, Service } from './types.js'

/** A broken service, and requests whose responses show its fault. */
export interface Broken extends Service {
  kind: 'broken'
  sentence: string
  show: (d: Driver) => Promise<unknown>
}

export type Tweak = (d: Driver, ask: Partial<Ask>) => Partial<Ask>
/** A fault in some requests, and what such a request needs besides. */
type Shaped = ((when: When) => Change) | [change: (when: When) => Change, ask: Tweak]
/** What a client sees, the fault, requests that show it, and whether only `thorough` can find it. */
export type Staged = [visible: string, change: Change, show: (d: Driver) => Promise<unknown>, depth?: 'thorough']

const service = (group: string, sentence: string, [name, change, show, depth]: Staged): Broken => ({
  ...{ name, class: group, kind: 'broken', sentence, show, ...(depth && { depth }) },
  create: (options) => createService([change], options),
})

/** A broken service for each row, all of which break the same sentence. */
export const staged = (group: string, sentence: string, rows: Staged[]): Broken[] =>
  rows.map((row) => service(group, sentence, row))

/** A broken service for each shape of each row, whose name is "what a client sees @ shape | shape" (see `at`). */
export const shaped = (group: string, sentence: string, rows: Record<string, Shaped>): Broken[] =>
  Object.entries(rows).flatMap(([name, row]) => {
    const [visible = '', shapes = ''] = name.split(' @ ')
    const [change, ask] = typeof row === 'function' ? [row] : row
    return shapes.split(' | ').map((text) => {
      const { when, show, thorough } = at(text)
      const depth = thorough ? ['thorough' as const] : []
      return service(group, sentence, [`${text}: ${visible}`, change(when), (d) => show(d, ask), ...depth] as Staged)
    })
  })

// The faults of shaped services: each is given the requests that it concerns.
export const replies = (edit: (was: Reply, c: Context) => Reply) => (when: When) => reply(when, edit)
export const bodies = (edit: (was: Json, c: Context) => unknown) => (when: When) => body(when, edit)
/** Replaces successful replies by one of this status. */
export const sends = (status: number, content: unknown = { error: 'failed', message: 'No.' }) =>
  replies((was) => (was.status < 300 ? { status, body: content } : was))
export const swaps =
  <Name extends Exclude<keyof Behaviours, 'stages' | 'setUp'>>(
    name: Name,
    other: (base: Behaviours) => Behaviours[Name],
  ) =>
  (when: When) =>
    instead(name, when, other)
