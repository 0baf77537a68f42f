import type { Behaviours, Change, Context, Json, Reply } from './types.js'

export type When = (c: Context) => boolean
export const always: When = () => true

/** Replaces the replies to such requests. */
export const reply =
  (when: When, edit: (was: Reply, c: Context) => Reply): Change =>
  (base) => ({
    finish: (c, was) => (when(c) ? edit(base.finish(c, was), c) : base.finish(c, was)),
  })

/** Replaces successful bodies of such requests. */
export const body = (when: When, edit: (body: Json, c: Context) => unknown): Change =>
  reply(when, (was, c) => (was.status < 300 ? { ...was, body: edit(was.body as Json, c) } : was))

/** Replaces one behaviour for such requests. */
export const instead =
  <Name extends Exclude<keyof Behaviours, 'stages' | 'setUp'>>(
    name: Name,
    when: When,
    other: (base: Behaviours) => Behaviours[Name],
  ): Change =>
  (base) => {
    const [was, is] = [base[name], other(base)] as ((c: Context, ...rest: never[]) => unknown)[]
    return { [name]: (c: Context, ...rest: never[]) => (when(c) ? is! : was!)(c, ...rest) }
  }
