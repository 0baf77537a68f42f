import { loadOnClick } from '../load.js'

// What Redoc's page lacks for a reader: the header's switch, a title for each part, landmarks, and keys that lead to the search.

const SERVICE = document.title

loadOnClick('../')

document.querySelector('.appearance')?.addEventListener('click', () => {
  document.querySelector<HTMLElement>('[data-testid="color-mode-switcher"]')?.click()
  const mode = document.documentElement.classList.contains('dark') ? 'dark' : 'light'
  localStorage.setItem('vitepress-theme-appearance', mode)
})

document.addEventListener(
  'keydown',
  (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select')
    if (!((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') && (event.key !== '/' || isTyping))
      return
    event.preventDefault()
    // Redoc's own search, which knows this page only, listens for the same keys.
    event.stopImmediatePropagation()
    document.querySelector<HTMLElement>('.site-search')?.click()
  },
  { capture: true },
)

/** Redoc renders what is near the reader, so what is said of the page is said again after each change. */
function describePage(): void {
  setAttributes('.menu-content', { role: 'navigation', 'aria-label': 'Operations' })
  setAttributes('main', { id: 'content', tabindex: '-1' })
  // Redoc leaves levels out.
  for (const level of [4, 5]) setAttributes(`[data-item-kind="httpItem"] h${level}`, { 'aria-level': `${level - 1}` })
  const active = document.querySelector<HTMLElement>('.menu-content [data-active="true"] [data-text]')?.dataset.text
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
