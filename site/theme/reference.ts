// What the page of the API reference does beside Redoc: loads it, and says what Redoc leaves out for readers of the keyboard.

const isReference = (path: string) => /\/api\/(?:index\.html)?(?:[?#]|$)/.test(path)

/** Whether both are addresses of the API reference, in which Redoc finds its way itself. */
export const isWithinReference = (from: string, to: string): boolean => isReference(from) && isReference(to)

/** Opens or closes the reference, after each change of the page. `script` is its address, from the front matter. */
export function showReference(script: string | undefined): void {
  observer?.disconnect()
  observer = undefined
  if (!script) {
    globalThis.apiReference?.close()
    return
  }
  observer = new MutationObserver(describeSoon)
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-active'] })
  globalThis.apiReference?.open()
  if (document.querySelector(`script[src="${script}"]`)) return
  const element = document.createElement('script')
  element.src = script
  document.head.append(element)
}

let observer: MutationObserver | undefined
let isPlanned = false

/** Redoc renders what is near the reader, so what is said of the page is said again after each change. */
function describeSoon() {
  if (isPlanned) return
  isPlanned = true
  requestAnimationFrame(() => {
    isPlanned = false
    describe()
  })
}

function describe() {
  if (!document.getElementById('redoc')) return
  // Redoc leaves levels out.
  for (const level of [4, 5]) setAttributes(`[data-item-kind="httpItem"] h${level}`, { 'aria-level': `${level - 1}` })
  for (const item of document.querySelectorAll<HTMLElement>('[data-item-kind="httpItem"]')) {
    for (const part of ['request', 'response'])
      item.style.setProperty(`--${part}-height`, `${heightOf(item.querySelector(`.panel-${part}-samples`))}px`)
  }
  const active = document.querySelector<HTMLElement>('.menu-content [data-active="true"] [data-text]')?.dataset.text
  document.title = active && active !== SERVICE ? `${active} - ${SERVICE}` : SERVICE
  if (location.hash === shown) return
  shown = location.hash
  // Redoc says nothing when the reader has scrolled to another operation.
  const event = new HashChangeEvent('hashchange')
  own.add(event)
  dispatchEvent(event)
}

const heightOf = (element: HTMLElement | null): number => element?.offsetHeight ?? 0

const SERVICE = 'Workflow Automation Service'

/** The part of the reference that the sidebar shows as active. */
let shown = ''

/** The events of this file. */
const own = new WeakSet<Event>()

/** The links of the sidebar, which VitePress follows, lead to a part of the reference: Redoc listens to another event. */
export function followSidebar(): void {
  addEventListener('hashchange', (event) => {
    // Other fragments, such as that of the link that skips the navigation, are no part of the reference.
    if (!document.getElementById('redoc') || own.has(event) || !location.hash.startsWith('#/')) return
    shown = location.hash
    dispatchEvent(new PopStateEvent('popstate', { state: null }))
  })
}

function setAttributes(selector: string, attributes: Readonly<Record<string, string>>) {
  for (const element of document.querySelectorAll(selector))
    for (const [name, value] of Object.entries(attributes))
      if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}
