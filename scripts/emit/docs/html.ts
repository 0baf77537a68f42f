interface Row {
  id?: string
  cells: string[]
}

/**
 * A table as HTML, which Markdown cannot give: rows with anchors, and cells that carry the name of their column so that
 * they can stand below each other on a phone. The cells are HTML already.
 */
export function table(columns: string[], rows: Row[], className: string): string {
  const head = columns.map((name) => `<th scope="col">${name}</th>`).join('')
  const body = rows.map(({ id, cells }) => {
    const [first, ...others] = cells
    return `<tr${id ? ` id="${id}"` : ''}><th scope="row">${first}</th>${others
      .map((cell, index) => `<td data-label="${columns[index + 1]}"> ${cell} </td>`)
      .join('')}</tr>`
  })
  return `<table class="md ${className}"><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A sentence of the contract as HTML; the names of fields and headers in it are set as code. */
export const inlineHtml = (text: string): string =>
  escapeHtml(text).replaceAll(
    /`([^`]+)`|\b([a-z]+(?:_[a-z]+)+)\b/g,
    (_, quoted, name) => `<code>${quoted ?? name}</code>`,
  )
