import type { When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, bodies, replies, sends, shaped, staged, swaps } from '../faults.js'
import type { Change, Context, Json } from '../types.js'

const ENVELOPE = 'A list is an object with data, an array, and meta with the integers total, page and per_page.'
const ITEMS = 'The pages of a list have the items of the workspace, each once.'
const SAFE = 'A 500 is transient: the same request succeeds when it is sent again.'
const NEGATIVE = 'Counts and page numbers are not negative.'

const data = (edit: (items: unknown[], c: Context) => unknown) =>
  bodies((list, c) => ({ ...list, data: edit(list.data as unknown[], c) }))
const meta = (edit: (meta: { total: number; page: number; per_page: number }) => unknown) =>
  bodies((list) => ({ ...list, meta: edit(list.meta as never) }))
const without = (name: string) => bodies(({ [name]: _, ...list }) => list)
const query = (values: Record<string, string>) => (_: Driver, ask: Partial<Ask>) => ({ ...ask, query: values })
const size = (value: string) => (when: When) =>
  sends(500)((c) => when(c) && c.url.searchParams.get('per_page') === value)

/** Cuts pages elsewhere: `from` and `to` move their ends. */
const cut = (from: (page: number) => number, to: (page: number, total: number, end: number) => number) =>
  swaps('list', () => (c) => {
    const { page, perPage } = c.does.window(c)
    const items = c.does.items(c)
    const [start, end] = [(page - 1) * perPage + from(page), page * perPage]
    const slice = items.slice(Math.max(0, start), to(page, items.length, end))
    return { status: 200, body: { data: slice, meta: { total: items.length, page, per_page: perPage } } }
  })

/** Items of every page, of which each has at most so many. */
const pages = (operation: 'listPlaybooks' | 'listProviders', perPage: number) => async (d: Driver) => {
  const all: unknown[] = []
  for (let page = 1; page <= 7; page++) {
    const { body } = await d.send(operation, { query: { page: String(page), per_page: String(perPage) } })
    all.push((body as Json).data)
  }
  return all
}
const afterRun = async (d: Driver) => {
  await d.trigger()
  return d.send('listPlaybooks')
}
const playbooks =
  (edit: (items: Json[], c: Context) => Json[]): Change =>
  (base) => ({
    items: (c) => (c.operation === 'listPlaybooks' ? edit(base.items(c), c) : base.items(c)),
  })

// biome-ignore format: a row is a line
export const lists: Broken[] = [
  ...shaped('lists', ENVELOPE, {
    'data is null where there are no items @ playbooks beyond | providers beyond': data(() => null),
    'data is left out where there are no items @ playbooks beyond | providers beyond pinned': without('data'),
    'data is an object where there are no items @ providers beyond': data(() => ({})),
    'data is an object by position @ playbooks page2 | providers query': data((items) => ({ ...items })),
    'meta is left out @ playbooks beyond | providers beyond | providers page2 | playbooks pinned': without('meta'),
    'meta is null @ playbooks page2 | providers query': meta(() => null),
    'meta has no total @ playbooks page2 | providers beyond': meta(({ page, per_page }) => ({ page, per_page })),
    'meta has no per_page @ playbooks pinned | providers page2': meta(({ page, total }) => ({ page, total })),
    'meta has no page @ playbooks query | providers busy': meta(({ total, per_page }) => ({ total, per_page })),
    'total is a text @ playbooks page2 | providers pinned': meta((was) => ({ ...was, total: String(was.total) })),
    'per_page is a text @ playbooks query | providers query': meta((was) => ({ ...was, per_page: String(was.per_page) })),
    'page is a text @ playbooks page2 | providers page2': meta((was) => ({ ...was, page: String(was.page) })),
    'page is null @ playbooks beyond': meta((was) => ({ ...was, page: null })),
    'total is null @ providers beyond | playbooks other': meta((was) => ({ ...was, total: null })),
    'total is a fraction @ playbooks | providers reader': meta((was) => ({ ...was, total: was.total + 0.5 })),
    'the list has no envelope @ playbooks query | providers pinned | playbooks reader': bodies((list) => list.data),
    'the body is null @ providers page2 | playbooks later': bodies(() => null),
    'there is no body @ providers query | playbooks other': replies((was) => (was.status < 300 ? { status: 204 } : was)),
    'the body is HTML @ playbooks seventh | providers other': replies((was) => was.status < 300 ? { status: 200, text: '<h1>Please wait</h1>', headers: { 'content-type': 'text/html' } } : was),
  }),
  ...shaped('lists', NEGATIVE, { 'total is -1 @ playbooks beyond | providers page2': meta((was) => ({ ...was, total: -1 })), 'per_page is -1 @ providers pinned': meta((was) => ({ ...was, per_page: -1 })) }),
  ...shaped('lists', ITEMS, {
    'the total is another one @ playbooks page2 | providers page2': meta((was) => ({ ...was, total: was.total - 1 })),
    'the total counts what is left @ playbooks page2': meta((was) => ({ ...was, total: was.total - was.per_page })),
    'the total is 0 @ playbooks beyond | providers beyond': meta((was) => ({ ...was, total: 0 })),
    'the total is less than the items of the page @ providers | playbooks query': meta((was) => ({ ...was, total: 2 })),
    'an item is there twice @ playbooks | providers pinned | playbooks reader': data((items) => [...items, items[0]]),
    'an item is missing @ playbooks page2 | providers page2 | playbooks seventh': data((items) => items.slice(1)),
    'there are no items @ playbooks pinned | providers reader | playbooks busy': data(() => []),
  }),
  ...staged('lists', ITEMS, [
    ...(['listPlaybooks', 'listProviders'] as const).flatMap((operation): Parameters<typeof staged>[2] => {
      const on = (c: Context) => c.operation === operation
      const [show, none, end] = [pages(operation, 4), () => 0, (_: number, __: number, to: number) => to]
      return [
        [`${operation}: pages overlap by an item`, cut((page) => (page > 1 ? -1 : 0), end)(on), show],
        [`${operation}: an item between two pages is lost`, cut((page) => (page > 1 ? 1 : 0), end)(on), show],
        [`${operation}: the last item is on no page`, cut(none, (_, total, to) => Math.min(to, total - 1))(on), show],
        [`${operation}: later pages are the first one`, cut((page) => (page > 2 ? -4 : 0), end)(on), show],
      ]
    }),
    ['playbooks change places from request to request', turning(), pages('listPlaybooks', 5)],
    ['a playbook is not in the list after a trigger', playbooks((all, c) => all.filter(({ id }) => !ran(c, id))), afterRun],
    ['a playbook that can be triggered is in no list', playbooks((all) => all.filter(({ id }) => id !== 'pb_a1')), afterRun],
  ]),
  ...shaped('lists', SAFE, {
    'one item a page always fails with 500 @ playbooks | providers': [size('1'), query({ per_page: '1' })],
    'a hundred items a page always fail with 500 @ playbooks | providers': [size('100'), query({ per_page: '100' })],
    'the largest per_page always fails with 500 @ providers': [size('2147483647'), query({ per_page: '2147483647' })],
    'a page after the end always fails with 500 @ playbooks beyond | providers beyond': sends(500),
    'the second page always fails with 500 @ playbooks page2 pinned': sends(500),
  }),
  ...shaped('lists', 'A list responds with the envelope to every valid key.', { 'there is no such list @ playbooks | providers | playbooks page2 | providers pinned | playbooks other': sends(404) }),
]

function turning(): Change {
  return playbooks((all, c) => [...all.slice(c.count % all.length), ...all.slice(0, c.count % all.length)])
}
function ran(c: Context, id: unknown): boolean {
  return c.principal.workspace.runs.some((run) => run.playbook.id === id)
}
