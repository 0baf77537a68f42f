/** Loads the script of Run or of Try it with the first click on such a button, from the root of the site. */
export function loadOnClick(base: string): void {
  for (const name of ['run', 'try'])
    document.addEventListener('click', function load({ target }) {
      const button = target instanceof Element ? target.closest<HTMLElement>(`[data-${name}]`) : null
      if (!button) return
      document.removeEventListener('click', load)
      const script = document.createElement('script')
      script.src = `${base}${name}.js`
      script.onload = () => button.click()
      script.onerror = () => {
        button.textContent = 'This needs the whole site: open it on a server.'
      }
      document.head.append(script)
    })
}
