import { planIds } from '../../../../generated/contract.js'
import { VERSION } from '../../../support/fixtures.js'
import { instead } from '../changes.js'
import type { Step } from '../types.js'
import { ERRORS, errors, html, items, metas, on, plan, type Row, runs, triggered } from './honest-frame.js'

export const RESPONSES: Row[] = [
  [
    'counts the runs of each workspace, and shows each only to it',
    () => ({
      runId: (c) => `run_${c.principal.workspace.runs.length + 1}`,
    }),
  ],
  [
    'has ids of runs with a colon, an equals sign and 90 characters',
    () => ({
      runId: (_c, opaque) => `run:${opaque.repeat(14).slice(0, 85)}=`,
    }),
  ],
  [
    'has ids of playbooks with spaces and umlauts',
    (base) => ({
      setUp(world) {
        base.setUp(world)
        for (const { workspace } of world.principals.filter((_, index) => index !== 1))
          for (const playbook of workspace.playbooks) playbook.id = `Rückerstattung ${playbook.id}`
      },
    }),
  ],
  [
    'responds to a trigger with 202, an id and a Location',
    triggered((was) => ({
      status: 202,
      body: { id: was.id },
      headers: { location: `${VERSION}/runs/${was.id}` },
    })),
  ],
  [
    'has more fields in runs, steps, and items',
    (base) => ({
      ...runs((was) => ({
        ...was,
        steps: (was.steps as Step[]).map((step) => ({ ...step, name: null, attempts: [{ number: 1 }] })),
        ended_at: null,
        triggered_by: { kind: 'api' },
      }))(base),
      ...items((item) => ({ ...item, tags: [], owner: null }))(base),
    }),
  ],
  [
    'has errors of application/problem+json',
    errors((_c, status, code, message) => ({
      status,
      text: JSON.stringify({ type: `https://errors.example/${code}`, title: code, detail: message, status }),
      headers: { 'content-type': 'application/problem+json' },
    })),
  ],
  [
    'has errors in HTML, except 429',
    errors((_c, status, _code, message) => ({
      status,
      text: `<!doctype html><h1>${status}</h1><p>${message}`,
      headers: html,
    })),
  ],
  ['has errors without a body, except 429', errors((_c, status) => ({ status, headers: { 'content-length': '0' } }))],
  [
    'nests errors in an object, with the id of the request',
    errors((c, status, code, message) => ({
      status,
      body: { error: { code: code.toUpperCase(), message }, request_id: `req_${c.count}` },
    })),
    ERRORS,
  ],
  [
    'lists all items on one page, and knows no parameters',
    () => ({
      wrongParameter: () => undefined,
      window: () => ({ page: 1, perPage: 500 }),
    }),
  ],
  [
    'has at most four items on a page, whatever is asked for',
    (base) => ({
      window: (c) => ({ ...base.window(c), perPage: Math.min(4, base.window(c).perPage) }),
    }),
  ],
  [
    'shows the last page instead of one after it',
    (base) => ({
      window(c) {
        const { page, perPage } = base.window(c)
        return { perPage, page: Math.min(page, Math.ceil(base.items(c).length / perPage) || 1) }
      },
    }),
  ],
  [
    'takes wrong parameters for the first page',
    (base) => ({
      wrongParameter: (c) => (on('listPlaybooks', 'listProviders')(c) ? undefined : base.wrongParameter(c)),
      window(c) {
        const number = (name: string, otherwise: number) => {
          const given = c.url.searchParams.get(name) ?? ''
          return /^[1-9]\d{0,5}$/.test(given) ? Number(given) : otherwise
        }
        return { page: number('page', 1), perPage: number('per_page', 20) }
      },
    }),
  ],
  [
    'counts pages from 0',
    (base) => ({
      ...metas((meta) => ({ ...meta, page: meta.page! - 1 }))(base),
      wrongParameter(c) {
        const url = new URL(c.url)
        if (url.searchParams.get('page') === '0') url.searchParams.delete('page')
        return base.wrongParameter({ ...c, url })
      },
      window: (c) => ({ ...base.window(c), page: Number(c.url.searchParams.get('page') ?? 0) + 1 }),
    }),
  ],
  ['has no providers and one page of nothing', instead('items', on('listProviders'), () => () => [])],
  [
    'has three thousand playbooks',
    (base) => ({
      setUp(world) {
        base.setUp(world)
        for (const { workspace, key } of [world.principals[0]!, world.principals[2]!])
          for (let more = 1; more <= 3000; more++)
            workspace.playbooks.push({
              ...workspace.playbooks[0]!,
              id: `pb_${key.slice(4, 8)}${more}`,
              name: `More ${more}`,
            })
      },
    }),
  ],
  ['has a limit of 300 requests per minute, and a burst of 600', plan(300, 600, planIds.largest)],
  ['has a limit of 2,400 requests per minute that was arranged', plan(2400, 4800, undefined)],
  [
    'refills 120 requests each two minutes, at once',
    () => {
      const windows = new Map<string, { from: number; sent: number }>()
      return {
        take(c) {
          const was = windows.get(c.does.bucket(c))
          const is = was && c.now < was.from + 120_000 ? was : { from: c.now, sent: 0 }
          windows.set(c.does.bucket(c), is)
          if (is.sent >= 120) return Math.ceil((is.from + 120_000 - c.now) / 1000)
          is.sent++
          return 0
        },
      }
    },
  ],
  ['asks for twenty seconds of patience at least', (base) => ({ limited: (c, wait) => base.limited(c, wait + 19) })],
]
