import type { When } from '../changes.js'
import { authenticate } from '../plain.js'
import type { Behaviours, Change, Context, Json, Reply, Run, Stage, Step } from '../types.js'

// Services that follow each sentence of the specification, and are unusual where it is silent.

/** Why plain responses do not match the document, where it assumes more than is stated. */
export type Row = [does: string, change: Change, beyond?: string]

export const on =
  (...operations: string[]): When =>
  (c) =>
    operations.includes(c.operation ?? '')
export const runs =
  (edit: (was: Json, c: Context, run: Run) => unknown): Change =>
  (base) => ({ run: (c, run) => edit(base.run(c, run), c, run) as Json })
export const statuses = (run: Record<string, string>, step: Record<string, string> = {}): Change =>
  runs((was) => ({
    ...was,
    status: run[String(was.status)] ?? was.status,
    steps: (was.steps as Step[]).map((one) => ({ ...one, status: step[one.status] ?? one.status })),
  }))
export const startedAt =
  (edit: (iso: string) => string): Change =>
  () => ({
    startedAt: (_c, run) => edit(new Date(run.at).toISOString()),
  })
export const triggered =
  (edit: (was: Json, c: Context, run: Run) => Reply): Change =>
  (base) => ({
    triggered: (c, run) => edit(base.triggered(c, run).body as Json, c, run),
  })
export const errors =
  (error: Behaviours['error']): Change =>
  () => ({ error })
export const items =
  (edit: (was: Json, index: number, c: Context) => Json): Change =>
  (base) => ({
    items: (c) => base.items(c).map((item, index) => edit(item, index, c)),
  })
export const replies =
  (edit: (was: Reply, c: Context) => Reply): Change =>
  (base) => ({
    finish: (c, was) => edit(base.finish(c, was), c),
  })
export const metas =
  (edit: (meta: Record<string, number>) => Json): Change =>
  (base) => ({
    list(c) {
      const was = base.list(c)
      const { meta, ...rest } = was.body as { meta: Record<string, number> }
      return { ...was, body: { ...rest, meta: edit(meta) } }
    },
  })
export const plan =
  (rate: number, burst: number, sold: ReturnType<Behaviours['sold']>): Change =>
  () => ({
    plan: () => ({ rate, burst }),
    sold: () => sold,
  })
export const first =
  (stage: Stage): Change =>
  (base) => ({ stages: [stage, ...base.stages] })
/** After the key is known. */
export const afterKey =
  (stage: Stage): Change =>
  (base) => ({ stages: [authenticate, stage, ...base.stages.slice(1)] })
export const last =
  (stage: Stage): Change =>
  (base) => ({ stages: [...base.stages, stage] })
export const refusesInputs =
  (wrong: (inputs: Record<string, string>) => string | undefined): Change =>
  (base) => ({
    wrongBody: (c) => base.wrongBody(c) ?? (base.findPlaybook(c) && wrong(c.inputs)),
  })
export const hobby = (status: number): Change =>
  first((c) => {
    const key = c.does.credentials(c)
    const caller = key === undefined ? undefined : c.does.accepts(c, key)
    return caller?.hobby ? c.does.error(c, status, 'no_api_access', 'Your plan has no API access.') : undefined
  })
export const html = { 'content-type': 'text/html; charset=utf-8' }
export const FIELDS = 'The specification does not show the fields of workspaces, playbooks and providers.'
export const ERRORS = 'The specification does not show the bodies of errors other than 429.'
