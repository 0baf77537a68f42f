/** Words that readers use for what the documentation calls otherwise. */
const SYNONYMS: Readonly<Record<string, string>> = {
  abort: 'cancel',
  cancellation: 'cancel',
  cursor: 'page',
  deadline: 'timeout',
  guarantee: 'rely',
  guarantees: 'rely',
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
  webhook: 'poll',
  webhooks: 'poll',
}

/** The guides answer questions; the register, the changelog and the types are for those who look for a name. */
const BOOSTS: [page: RegExp, boost: number][] = [
  [/\/guides\/(?:register|changelog)/, 0.4],
  [/\/guides\/operations/, 0.6],
  // Few readers implement the service, and these are long.
  [/\/guides\/(?:implementing|verifying|recorded-traffic)/, 1.5],
  [/\/guides\/limits-and-many-runs/, 5],
  [/\/guides\//, 3],
  [/\/reference\//, 0.3],
]

/** Sets the options of the search that are functions. In the configuration they would need a policy that allows eval. */
export function prepareSearch(themeConfig: { search?: { options?: { miniSearch?: { searchOptions?: object } } } }) {
  Object.assign(themeConfig.search?.options?.miniSearch?.searchOptions ?? {}, {
    processTerm: (term: string) => SYNONYMS[term.toLowerCase()] ?? term.toLowerCase(),
    // A typing error in a word of four letters; two letters that changed places, which count twice, in one of eight.
    fuzzy: (term: string) => (term.length >= 4 && !/\d/.test(term) ? 0.25 : false),
    // What is written as it was asked for counts most.
    weights: { fuzzy: 0.1, prefix: 0.5 },
    boostDocument: (id: string) => BOOSTS.find(([page]) => page.test(id))?.[1] ?? 1,
  })
}

/** Opens the search, as its keys do, as soon as the page listens to them. */
export function openSearch(): void {
  const press = () => {
    if (document.querySelector('.VPLocalSearchBox')) clearInterval(timer)
    else dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
  }
  const timer = setInterval(press, 250)
  setTimeout(() => clearInterval(timer), 10_000)
}
