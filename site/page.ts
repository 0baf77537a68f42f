import { openSearch } from './search.js'

// What Redoc's page lacks for a reader: search, a title for each part, landmarks, and buttons that copy code.

const SERVICE = document.title

const searchButton = document.createElement('button')
searchButton.type = 'button'
searchButton.className = 'search-button'
searchButton.innerHTML = 'Search <kbd>Ctrl+K</kbd>'
searchButton.addEventListener('click', openSearch)

document.addEventListener(
  'keydown',
  (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
    event.preventDefault()
    // Redoc's own search, which this one replaces, listens for the same keys.
    event.stopImmediatePropagation()
    openSearch()
  },
  { capture: true },
)

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-copy]') : null
  if (!button) return
  const above = [...document.querySelectorAll('pre.code')].filter(
    (block) => block.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  const code = above.at(-1)?.textContent ?? ''
  button.textContent = await navigator.clipboard.writeText(code).then(
    () => 'Copied',
    () => 'Not allowed',
  )
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2_000)
})

/** Redoc renders what is near the reader, so what is said of the page is said again after each change. */
function describePage(): void {
  const trigger = document.querySelector('[data-testid="search-trigger"]')
  if (trigger && searchButton.parentElement !== trigger) trigger.append(searchButton)
  setAttributes('.menu-content', { role: 'navigation', 'aria-label': 'Documentation' })
  setAttributes('main', { id: 'content', tabindex: '-1' })
  for (const section of document.querySelectorAll('[data-section-id]'))
    if (/^\/[^/]+$/.test(section.getAttribute('data-section-id') ?? ''))
      section.querySelector('h2')?.setAttribute('aria-level', '1')
  const active = document.querySelector('.menu-content [data-active="true"]')?.textContent?.trim()
  document.title = active && active !== SERVICE ? `${active} - ${SERVICE}` : SERVICE
}

function setAttributes(selector: string, attributes: Readonly<Record<string, string>>): void {
  for (const element of document.querySelectorAll(selector))
    for (const [name, value] of Object.entries(attributes))
      if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

let planned = false
new MutationObserver(() => {
  if (planned) return
  planned = true
  requestAnimationFrame(() => {
    planned = false
    describePage()
  })
}).observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-active'] })
describePage()

document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault()
  document.querySelector<HTMLElement>('main')?.focus()
})
