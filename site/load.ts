/**
 * Loads the script of Run or of Try it with the first click on such a button, from the root of the site. `version` is that of
 * what the pages name in them, so that a browser takes none that it has kept from before.
 */
export function loadOnClick(base: string, version: string): void {
  for (const name of ['run', 'try'])
    document.addEventListener('click', function load({ target }) {
      const button = target instanceof Element ? target.closest<HTMLElement>(`[data-${name}]`) : null
      if (!button) return
      document.removeEventListener('click', load)
      button.parentElement?.querySelector('[role=alert]')?.remove()
      const script = document.createElement('script')
      script.src = `${base}${name}.js?${version}`
      script.onload = () => button.click()
      script.onerror = () => {
        script.remove()
        document.addEventListener('click', load)
        const problem = document.createElement('p')
        problem.className = 'problem'
        problem.role = 'alert'
        problem.textContent = 'The script could not be loaded. Click again, or open the site on a server.'
        button.parentElement?.append(problem)
      }
      document.head.append(script)
    })
}
