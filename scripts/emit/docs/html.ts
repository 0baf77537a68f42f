/** For HTML within Markdown, where a backtick would begin code. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('`', '&#96;')

/** A sentence of the contract as HTML; the names of fields and headers in it are set as code. */
export const inlineHtml = (text: string): string =>
  escapeHtml(text).replaceAll(
    /&#96;(.+?)&#96;|\b([a-z]+(?:_[a-z]+)+)\b/g,
    (_, quoted, name) => `<code>${quoted ?? name}</code>`,
  )

/** An entry of a list, with an anchor of its own when it has an id. */
export const entryHtml = (paragraphs: string[], id?: string): string =>
  `<div class="entry"${id ? ` id="${id}"` : ''}>${paragraphs.map((each) => `<p>${each}</p>`).join('')}</div>`
