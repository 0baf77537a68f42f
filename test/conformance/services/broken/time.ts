import type { When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, bodies, replies, sends, shaped, staged, swaps } from '../faults.js'
import type { Change, Json } from '../types.js'

const asks = (change: Partial<Ask>) => (_: Driver, ask: Partial<Ask>) => ({ ...ask, ...change })
const accepted = swaps('wrongBody', () => () => undefined)
const found = replies((was) => (was.status === 404 ? { status: 200, body: {} } : was))
/** Edits the meta of both lists, by the minutes since the start. */
const drifting =
  (edit: (meta: { total: number }, minutes: number) => unknown): Change =>
  (base) => ({
    list(c) {
      const list = base.list(c)
      const { data, meta } = list.body as { data: unknown; meta: { total: number } }
      return { ...list, body: { data, meta: edit(meta, Math.floor((c.now - c.world.created) / 60_000)) } }
    },
  })
const overMinutes = (operation: 'listPlaybooks' | 'getRun') => async (d: Driver) => {
  const id = operation === 'getRun' ? await d.trigger() : ''
  const all = []
  for (let minute = 0; minute < 3; minute++, d.advance(60_000)) all.push((await d.send(operation, { id })).body)
  return all
}
const crossed =
  (when: When): Change =>
  (base) => {
    let last: Json[] | undefined
    return {
      items(c) {
        const items = when(c) && last ? last : base.items(c)
        last = base.items(c)
        return items
      },
    }
  }

/** Faults that only many, late or simultaneous requests show. */
// biome-ignore format: a row is a line
export const time: Broken[] = [
  ...shaped('time', 'Each request that is right succeeds, and each response has the form of its operation.', {
    'there is no such resource @ me seventh | providers seventh | run later | playbooks later': sends(404),
    'the request is wrong @ providers later | me together | trigger later | trigger seventh': sends(400),
    'the key is refused @ playbooks seventh | me later | providers together': sends(401),
    'the permission is missing @ run seventh | trigger together | playbooks later pinned': sends(403),
    'the body is another one @ providers together | run together | playbooks seventh pinned': bodies(() => ({ ok: true })),
    'the steps are null @ run seventh | run later | run together': bodies((run) => ({ ...run, steps: null })),
  }),
  ...shaped('time', 'A request whose body is wrong fails with 400.', {
    'a body without inputs is accepted @ trigger seventh | trigger later | trigger together': [accepted, asks({ body: '{}' })],
    'inputs that are a list are accepted @ trigger later': [accepted, asks({ body: '{"inputs":[]}' })],
  }),
  ...shaped('time', 'A request for an id that does not exist fails with 404.', { 'an unknown id is found @ run seventh | run later | run together': [found, asks({ id: 'run_nobody' })] }),
  ...staged('time', 'A list has all items once, and a total that fits them.', [
    ['the total grows with every minute', drifting((meta, minutes) => ({ ...meta, total: meta.total + minutes })), overMinutes('listPlaybooks'), 'thorough'],
    ['the total becomes a text after a minute', drifting((meta, minutes) => (minutes ? { ...meta, total: `${meta.total}` } : meta)), overMinutes('listPlaybooks'), 'thorough'],
    ['simultaneous lists get the items of each other', crossed((c) => c.together), atOnce, 'thorough'],
  ]),
  ...staged('time', 'started_at is the timestamp of the start of the run.', [
    ['started_at is a second later with every minute', (base) => ({ startedAt: (c, run) => base.startedAt(c, { ...run, at: run.at + (c.now - run.at) / 60 }) }), overMinutes('getRun'), 'thorough'],
  ]),
]

function atOnce(d: Driver) {
  return Promise.all([d.send('listPlaybooks'), d.send('listProviders'), d.send('listPlaybooks')])
}
