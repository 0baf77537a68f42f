// The end of the script of the API reference, after Redoc itself: fills the element of the page, whenever it is there.

declare global {
  /** What scripts/emit/docs/api.ts makes of Redoc: renders the contract into an element. */
  var renderRedoc: (element: HTMLElement) => { unmount(): void }
  var apiReference: { open(): void; close(): void }
}

let root: { unmount(): void } | undefined

globalThis.apiReference = {
  open() {
    const element = document.getElementById('redoc')
    if (!element || element.childElementCount > 0) return
    keepStorage()
    // Redoc shows nothing for a fragment that is none of its own.
    if (!/^(?:#\/|$)/.test(location.hash)) history.replaceState(history.state, '', location.pathname)
    // Light or dark is that of the site.
    localStorage.setItem('redoc.colorMode', document.documentElement.classList.contains('dark') ? 'dark' : 'light')
    root = renderRedoc(element)
  },
  close() {
    root?.unmount()
    root = undefined
  },
}

/** A frame without storage has none of these, and Redoc would stop. */
function keepStorage() {
  for (const name of ['localStorage', 'sessionStorage'] as const)
    try {
      window[name].getItem('')
    } catch {
      const kept = new Map<string, string>()
      const value = {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, text: string) => void kept.set(key, text),
        removeItem: (key: string) => void kept.delete(key),
      }
      Object.defineProperty(window, name, { value })
    }
  try {
    void document.cookie
  } catch {
    Object.defineProperty(document, 'cookie', { value: '', writable: true })
  }
}

globalThis.apiReference.open()

export {}
