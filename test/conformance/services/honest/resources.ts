import { body } from '../changes.js'
import type { Change, Context, Json, Operation, Workspace } from '../types.js'

/** Variations in what the specification leaves open: a name, the change, and where the document assumes more. */
export type Rows = [name: string, change: Change, beyond?: string][]

export const of = (operation: Operation) => (c: Context) => c.operation === operation
const everywhere = () => true
const workspace = (view: (was: Json) => Json): Change => body(of('getCurrentWorkspace'), view)
const data = (operation: Operation, edit: (item: Json, index: number) => unknown): Change =>
  body(of(operation), (list) => ({ ...list, data: (list.data as Json[]).map(edit) }))
const envelope = (edit: (list: Json, c: Context) => Json): Change =>
  body((c) => c.operation?.startsWith('list') === true, edit)
const world =
  (edit: (first: Workspace, second: Workspace) => unknown): Change =>
  () => ({
    setUp: ({ principals }) => edit(principals[0]!.workspace, principals[2]!.workspace),
  })
const ids = (form: (index: number) => string): Change =>
  world((...both) => {
    for (const [at, { playbooks }] of both.entries())
      for (const [index, playbook] of playbooks.entries()) playbook.id = form(index + 100 * at)
  })
const page = (
  edit: (c: Context, was: { page: number; perPage: number }) => { page: number; perPage: number },
): Change => {
  return (base) => ({ window: (c) => edit(c, base.window(c)) })
}
const lenient: Change = (base) => ({
  wrongParameter: (c) => (c.request.headers.has('service-version') ? base.wrongParameter(c) : undefined),
})
const both =
  (first: Change, second: Change): Change =>
  (base) => {
    const does = { ...base, ...first(base) }
    return { ...does, ...second(does) }
  }
const number = (c: Context, name: string) => Number(c.url.searchParams.get(name) ?? Number.NaN)
const numberedPlaybooks = world(({ playbooks }) => {
  for (let index = playbooks.length; index < 100; index++) playbooks.push({ ...playbooks[0]! })
  for (const [index, playbook] of playbooks.entries()) playbook.id = `pb_${String((index + 40) % 100).padStart(2, '0')}`
})
const partOfNumbered = both(
  both(
    lenient,
    page(() => ({ page: 1, perPage: 20 })),
  ),
  numberedPlaybooks,
)
/** A key is accepted wherever it stands. */
const keyAnywhere: Change = (base) => ({
  credentials: (c) => {
    const values = [...c.url.searchParams.values(), ...c.request.headers.values()]
    return base.credentials(c) ?? values.find((value) => c.world.principals.some(({ key }) => key === value))
  },
})
const refusing =
  (allowed: string[]): Change =>
  (base) => ({
    wrongParameter: (c) => {
      const unknown = [...c.url.searchParams.keys()].find((name) => !allowed.includes(name))
      return unknown === undefined ? base.wrongParameter(c) : `The parameter ${unknown} is unknown.`
    },
  })

// biome-ignore format: a row is a line
export const resources: Record<string, Rows> = {
  'fields not shown': [
    ['a workspace without fields', workspace(() => ({}))],
    ['a workspace with a slug and a plan only', workspace(() => ({ slug: 'acme', plan: 'pro' }))],
    ['a workspace inside data', workspace((was) => ({ data: was }))],
    ['a workspace with members and settings', workspace((was) => ({ ...was, members: 4, settings: { locale: 'de' } }))],
    ['a workspace with its members as a list', workspace((was) => ({ ...was, data: [{ id: 'user_1' }], meta: { total: 1, page: 1, per_page: 20 } }))],
    ['a workspace with a name like a secret', workspace((was) => ({ ...was, name: 'Bearer good-news-and-more' }))],
    ['workspaces that all have the id "me"', workspace((was) => ({ ...was, id: 'me' }))],
    ['a workspace whose id is that of the response', body(of('getCurrentWorkspace'), (_, c) => ({ id: `req_${c.count}`, plan: 'pro' }))],
    ['a workspace whose id is a number', workspace((was) => ({ ...was, id: 17 })), 'A01'],
    ['a workspace without a name', workspace((was) => ({ ...was, name: null })), 'A01'],
    ['playbooks with an id only', data('listPlaybooks', ({ id }) => ({ id }))],
    ['playbooks whose id is in playbook_id', data('listPlaybooks', ({ id, name }) => ({ playbook_id: id, name }))],
    ['playbooks whose id is in metadata', data('listPlaybooks', ({ id, name }) => ({ name, metadata: { id } }))],
    ['playbooks that are ids', data('listPlaybooks', ({ id }) => id), 'A02'],
    ['playbooks with a list of inputs', data('listPlaybooks', (was) => ({ ...was, inputs: [{ name: 'order' }] }))],
    ['playbooks with null for what is missing', data('listPlaybooks', (was) => ({ ...was, description: null })), 'A02'],
    ['playbooks with a title in two languages', data('listPlaybooks', ({ id }) => ({ id, title: { en: 'A', de: 'B' } }))],
    ['providers without an id', data('listProviders', ({ name }) => ({ name, connected_at: '2026-01-01T00:00:00Z' }))],
    ['providers with a numeric id', data('listProviders', (was, index) => ({ ...was, id: index })), 'A03'],
    ['providers whose id is in no capability', data('listProviders', ({ name }) => ({ id: `conn_${name}`, name }))],
    ['providers that are ids', data('listProviders', ({ id }) => id), 'A03'],
    ['providers with actions', data('listProviders', (was) => ({ ...was, actions: ['find', 'send'], healthy: true }))],
    ['fields of its own in every object', body(everywhere, (was) => ({ ...was, object: 'thing', links: { self: '/' } }))],
    ['an envelope with links and an object name', envelope((list) => ({ object: 'list', ...list, links: {} }))],
    ['a total of the page', envelope((list) => ({ ...list, meta: { ...(list.meta as Json), total: (list.data as Json[]).length } }))],
    ['a per_page that counts pages', envelope((list) => ({ ...list, meta: { ...(list.meta as Json), per_page: 1 } }))],
    ['a meta with the number of pages', envelope((list) => ({ ...list, meta: { ...(list.meta as Json), pages: 2, has_more: false } }))],
  ],
  'ids of playbooks': [
    ['uuids', ids((index) => `0b7e5b0a-4f5e-4d0c-9f3e-${String(index).padStart(12, '0')}`)],
    ['digits', ids((index) => String(4000 + index))],
    ['ids of 200 characters', ids((index) => `pb_${String(index).padStart(197, 'x')}`)],
    ['ids with colons', ids((index) => `acme:playbook:${index}`)],
    ['ids with dots and capitals', ids((index) => `Acme.Playbook.v${index}`)],
    ['ids with a tilde', ids((index) => `~${index}`)],
    ['numbers, of which the list shows a part', partOfNumbered],
    ['numbers, of which the list shows a part, and the key anywhere', both(partOfNumbered, keyAnywhere)],
    ['readable ids', ids((index) => `refund-an-order-${index}`)],
    ['base64 ids', ids((index) => btoa(`playbook ${index + 1000}`))],
  ],
  'size of lists': [
    ['no providers', world((first, second) => first.providers.splice(0) && second.providers.splice(0))],
    ['nothing in the other workspace', world((_, second) => [second.playbooks.splice(0), second.providers.splice(0)])],
    ['only the three playbooks', world((first) => first.playbooks.splice(3))],
    [
      '130 providers',
      world(({ providers }) => {
        for (let index = 6; index <= 130; index++) providers.push({ id: `p${index}`, name: `P${index}` })
      }),
    ],
    [
      '250 playbooks',
      world(({ playbooks }) => {
        for (let index = 24; index <= 250; index++) playbooks.push({ ...playbooks[0]!, id: `pb_a${index}` })
      }),
    ],
    ['a playbook that is added meanwhile', (base) => ({ items: (c) => (of('listPlaybooks')(c) && c.count > 6 ? [...base.items(c), { id: `pb_of_${c.principal.workspace.id}` }] : base.items(c)) })],
    ['exactly one full page', world((first) => first.playbooks.splice(20))],
  ],
  'shared between workspaces': [
    ['the same providers in both', world((first, second) => second.providers.splice(0, 9, ...first.providers))],
    ['a catalogue of playbooks for both', world((first, second) => second.playbooks.splice(0, 9, ...first.playbooks))],
    ['one playbook for both', world((first, second) => second.playbooks.push(first.playbooks[0]!))],
    ['playbooks of the same names', world((first, second) => second.playbooks.map((other, at) => Object.assign(other, { name: first.playbooks[at]!.name })))],
    ['workspaces of the same name', world((first, second) => Object.assign(second, { name: first.name }))],
  ],
  'selection of pages': [
    ['ignores page and per_page, one page of 200', both(lenient, page(() => ({ page: 1, perPage: 200 })))],
    ['ignores page and per_page, more than a page', both(lenient, page(() => ({ page: 1, perPage: 20 })))],
    ['ignores a malformed page', both(lenient, page((c, { perPage }) => ({ page: number(c, 'page') || 1, perPage: perPage || 20 })))],
    ['10 items a page', page((c, was) => ({ ...was, perPage: number(c, 'per_page') || 10 }))],
    ['100 items a page', page((c, was) => ({ ...was, perPage: number(c, 'per_page') || 100 }))],
    ['at most 10 items a page', page((_, { page, perPage }) => ({ page, perPage: Math.min(perPage, 10) }))],
    ['at most 50 items a page', page((_, { page, perPage }) => ({ page, perPage: Math.min(perPage, 50) }))],
    ['at least 5 items a page', page((_, { page, perPage }) => ({ page, perPage: Math.max(perPage, 5) }))],
    ['page and limit', both(lenient, page((c) => ({ page: number(c, 'page') || 1, perPage: number(c, 'limit') || 20 })))],
    ['offset and limit', both(lenient, page((c) => ({ page: 1 + Math.floor((number(c, 'offset') || 0) / 20), perPage: 20 })))],
    ['a cursor', both(lenient, page((c) => ({ page: number(c, 'cursor') || 1, perPage: 20 })))],
    ['page[number] and page[size]', both(lenient, page((c) => ({ page: number(c, 'page[number]') || 1, perPage: 20 })))],
    [
      'pages from 0',
      (base) => ({
        ...lenient(base),
        window: (c) => ({ page: (number(c, 'page') || 0) + 1, perPage: base.window(c).perPage || 20 }),
        list: (c) => {
          const list = base.list(c).body as { data: unknown; meta: { page: number } }
          return { status: 200, body: { ...list, meta: { ...list.meta, page: list.meta.page - 1 } } }
        },
      }),
    ],
    ['refuses parameters that it does not know', refusing(['page', 'per_page'])],
    ['refuses every query', refusing([])],
    ['refuses per_page, has page', refusing(['page'])],
    [
      'a page after the end fails with 404',
      (base) => ({
        list: (c) => {
          const list = base.list(c)
          const none = (list.body as { data: unknown[] }).data.length === 0 && c.does.window(c).page > 1
          return none ? c.does.error(c, 404, 'not_found', 'There is no such page.') : list
        },
      }),
    ],
    ['a page after the end is the last one', page((c, { page, perPage }) => ({ page: Math.max(1, Math.min(page, Math.ceil(c.does.items(c).length / perPage))), perPage }))],
    ['more than 100 a page fails with 400', (base) => ({ wrongParameter: (c) => (number(c, 'per_page') > 100 ? 'The parameter per_page is too large.' : base.wrongParameter(c)) })],
  ],
  'order of lists': [
    ['descending', (base) => ({ items: (c) => base.items(c).reverse() })],
    ['by name', (base) => ({ items: (c) => base.items(c).sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)) })],
    [
      'the last one used first',
      (base) => ({
        items: (c) => {
          const last = c.principal.workspace.runs.at(-1)?.playbook.id
          return base.items(c).sort((a, b) => Number(b.id === last) - Number(a.id === last))
        },
      }),
    ],
  ],
}
