/** Text that is markup already. */
export interface Markup {
  readonly markup: string
}

type Value = string | number | Markup | readonly Markup[]

/** A template for XML and HTML: values are escaped unless they are markup; a list has one item on each line. */
export const markup = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  markup: strings.map((string, index) => string + written(values[index] ?? '')).join(''),
})

const written = (value: Value): string =>
  typeof value !== 'object'
    ? escapeMarkup(String(value))
    : 'markup' in value
      ? value.markup
      : value.map((each) => each.markup).join('\n')

/** Text for XML and HTML. What XML does not allow at all is left out. */
const escapeMarkup = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
