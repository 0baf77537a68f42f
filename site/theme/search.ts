import { excerptOf } from './excerpt.js'

/** Words that readers use for what the documentation calls otherwise. */
const SYNONYMS: Readonly<Record<string, string>> = {
  abort: 'cancel',
  cancellation: 'cancel',
  cursor: 'page',
  deadline: 'timeout',
  guarantee: 'rely',
  idempotency: 'idempotent',
  pagination: 'page',
  paginate: 'page',
  polling: 'poll',
  ratelimit: 'limit',
  rotate: 'rotated',
  rotation: 'rotated',
  sla: 'rely',
  throttle: 'limit',
  token: 'key',
  upgrade: 'release',
  webhook: 'poll',
}

/** The section that is shown first, by the words that readers use: other guides mention these too. */
const FIRST: Readonly<Record<string, string>> = {
  '429': 'errors-and-retries.html#what-is-retried',
  '4xx': 'errors-and-retries.html#error-classes',
  '5xx': 'errors-and-retries.html#what-is-retried',
  deadline: 'errors-and-retries.html#timeouts-and-cancellation',
  'list runs': 'what-may-i-rely-on.html#what-is-missing',
  pagination: 'getting-started.html#read-a-whole-list',
  'rate limit': 'limits-and-many-runs.html#limits-and-many-runs',
  'retry after': 'errors-and-retries.html#what-is-retried',
  test: 'testing.html#test-with-the-mock-and-the-sandbox',
  timeout: 'errors-and-retries.html#timeouts-and-cancellation',
  upgrade: 'changelog.html#changelog',
}

/** Guides come first; the register, the changelog and the types are for readers who look for a name. */
const WEIGHTS: [page: RegExp, weight: number][] = [
  [/\/guides\/(?:register|changelog)/, 0.4],
  [/\/guides\/operations/, 0.4],
  [/\/guides\/(?:bring-your-own|package-reference)/, 0.6],
  // Few readers implement the service, and tests call what other guides explain.
  [/\/guides\/(?:implementing|verifying|recorded-traffic|testing|shared-sandbox)/, 0.9],
  [/\/guides\//, 1],
]
/** The weight of the package's reference. */
const LEAST = 0.3
/** More than words can count. */
const LAST = 1_000

const HITS = 12
/** What is shown before anything is typed. */
const BEGINNINGS = [
  'getting-started.html#getting-started',
  'triggering-and-watching.html#triggering-and-watching',
  'errors-and-retries.html#errors-and-retries',
  'testing.html#test-with-the-mock-and-the-sandbox',
  'what-may-i-rely-on.html#what-may-i-rely-on',
]

/** The rest of a page is a click away. */
const HITS_OF_A_PAGE = 2

interface Section {
  /** Its page, with its anchor. */
  id: string
  title: string
  /** The headings above it. */
  titles: string[]
  /** HTML without tags. */
  text: string
}

interface Index {
  search(query: object, options: object): (Section & { score: number; terms: string[] })[]
  getStoredFields(id: string): Omit<Section, 'id'> | undefined
}

const OPTIONS = {
  boost: { title: 4, titles: 2, text: 1 },
  prefix: true,
  // A typing error in a word of four letters; two letters that changed places, which count twice, in one of eight.
  fuzzy: (term: string) => (term.length >= 4 && !/\d/.test(term) ? 0.25 : false),
  // What is written as it was asked for counts most.
  weights: { fuzzy: 0.1, prefix: 0.5 },
}

/** Where operations are in the API reference, by the anchors of their text. */
let operations: Readonly<Record<string, string>> = {}

/** Gives the search of VitePress, as site/config.ts changes it, the function that finds sections. */
export function prepareSearch({ search }: { search?: { options?: { operations?: typeof operations } } }) {
  operations = search?.options?.operations ?? {}
  Object.assign(search?.options ?? {}, { find })
}

/** The sections that have the words, by page, the best one first, each with a line of its text. */
function find(index: Index, asked: string, isCorrected = false): (Section & { excerpt: string; kind: string })[] {
  const words = wordsOf(asked)
  if (words.length === 0)
    return BEGINNINGS.flatMap((page) => sectionOf(index, `/guides/${page}`)).map((section) => hit(section, []))
  // What they begin with in the plural too.
  const stems = words.map((word) => word.replace(/(?<=...)(?:(?:ie)?s|y)$/, ''))
  const starts = stems.map((stem) => new RegExp(`(?<![\\p{L}\\p{N}])${stem}`, 'iu'))
  const queries = stems.map((stem, at) => ({
    combineWith: 'OR',
    queries: [stem, SYNONYMS[words[at] ?? ''] ?? SYNONYMS[stem] ?? stem],
  }))
  const results = index.search({ combineWith: 'AND', queries }, OPTIONS)
  const terms = results.flatMap((each) => each.terms)
  const correct = words.map((word, at) =>
    SYNONYMS[word] || results.some(({ title, titles, text }) => starts[at]?.test(`${title} ${titles} ${text}`))
      ? word
      : closest(word, terms),
  )
  // Once, because the corrected words may be found in no section together.
  if (!isCorrected && correct.some((word, at) => word !== words[at])) return find(index, correct.join(' '), true)
  const found = results
    .map((section) => ({ section, rank: rankOf(section, starts) }))
    .sort((a, b) => b.rank - a.rank || b.section.score - a.section.score)
    .map(({ section }): Section => section)
  const name = words.join(' ')
  const isNamed = ({ id, title, text }: Section) =>
    title.toLowerCase().replace('()', '') === name ||
    // A method and a path, which only the text of an operation has.
    (asked.includes('/') && routeOf(id) !== id && wordsOf(text).join(' ').includes(name))
  const page = FIRST[name] ?? FIRST[name.replace(/^([45])\d\d$/, '$1xx')]
  const first = page
    ? sectionOf(index, `/guides/${page}`)
    : found.filter(isNamed).slice(0, asked.includes('/') ? HITS : 1)
  const ordered = [...first, ...found.filter(({ id }) => !first.some((each) => each.id === id))]
  return [...new Set(ordered.map(pageOf))]
    .flatMap((page) =>
      ordered
        .filter((each) => pageOf(each) === page)
        .filter((each, at) => at === 0 || rankOf(each, starts) > 0)
        .slice(0, HITS_OF_A_PAGE)
        // A further hit of a page stands below the first one, without the name of the page.
        .map((section, at) => ({ ...hit(section, starts), ...(at > 0 && { titles: [], kind: '' }) })),
    )
    .slice(0, HITS)
}

/** A misspelt word as the documentation has it: the shortest word that was found with the longest common beginning. */
function closest(word: string, terms: string[]): string {
  const common = (term: string) => [...word].findIndex((letter, at) => letter !== term[at])
  const [best] = terms.toSorted((a, b) => common(b) - common(a) || a.length - b.length)
  return best && common(best) > 0 ? best : word
}

/** The words of a text, without entities of HTML. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/&#?\w+;/g, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Where a section leads to: an operation to its page of the API reference. */
function routeOf(id: string): string {
  const route = operations[/operations\.html#(.+)$/.exec(id)?.[1] ?? '']
  return route ? `/api/${route}` : id
}

/** The page that a section is on, which for an operation is of the API reference. */
const pageOf = ({ id }: Section): string => (routeOf(id) === id ? id.replace(/#.*/, '') : id)

const hit = (section: Section, starts: RegExp[]) => ({
  ...section,
  ...(routeOf(section.id) !== section.id && { id: routeOf(section.id), titles: [] }),
  // What a page is about is said where it begins.
  excerpt: excerptOf(
    section.text,
    section.titles.length === 0 && starts.every((start) => start.test(section.title)) ? [] : starts,
  ),
  kind: kindOf(section.id),
})

function sectionOf(index: Index, id: string): Section[] {
  const fields = index.getStoredFields(id)
  return fields ? [{ id, ...fields }] : []
}

/** Titles of pages count more than titles of sections, these more than text. A section without one of the words is last. */
function rankOf({ id, title, titles, text }: Section, starts: RegExp[]): number {
  const scores = starts.map((start) => (start.test(title) ? (titles.length === 0 ? 4 : 2) : start.test(text) ? 1 : 0))
  const weight = WEIGHTS.find(([page]) => page.test(id))?.[1] ?? LEAST
  return scores.includes(0) ? weight - LAST : weight * scores.reduce<number>((sum, score) => sum + score, 0)
}

/** What a page is, which a hit says beside its title. */
const KINDS: [page: RegExp, kind: string][] = [
  [/\/guides\/operations/, 'API'],
  [/\/guides\/register/, 'Register'],
  [/\/guides\/changelog/, 'Changelog'],
  [/\/guides\//, 'Guide'],
]

const kindOf = (id: string): string => KINDS.find(([page]) => page.test(id))?.[1] ?? 'Package'

/** Opens the search, as its keys do, as soon as the page listens to them. Esc returns to the API reference, if that opened it. */
export function openSearch(): void {
  const press = () => {
    if (document.querySelector('.VPLocalSearchBox')) clearInterval(timer)
    else dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
  }
  const timer = setInterval(press, 250)
  setTimeout(() => clearInterval(timer), 10_000)
  if (!/\/api\/(?:index\.html)?$/.test(document.referrer)) return
  addEventListener(
    'keydown',
    ({ key }) => {
      // The search makes an entry of the history itself.
      if (key === 'Escape' && location.hash === '#search') history.go(-2)
    },
    { capture: true },
  )
}
