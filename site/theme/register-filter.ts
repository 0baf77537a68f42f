import { defineComponent, h, onMounted, onUnmounted, reactive, ref, watch } from 'vue'

type Wanted = Record<'kind' | 'area' | 'text', string>

function isWanted({ dataset, textContent }: HTMLElement, { kind, area, text }: Wanted): boolean {
  const words = text.toLowerCase().split(/\s+/)
  return (
    (kind === '' || dataset.kind === kind) &&
    (area === '' || dataset.area === area) &&
    words.every((word) => textContent?.toLowerCase().includes(word))
  )
}

const entries = () => [...document.querySelectorAll<HTMLElement>('.entry')]

const option = (label: string, value: string) => h('option', { value }, label)

/** A kind with the number of its entries. */
const counted = (kind: string) => `${kind} ${entries().filter(({ dataset }) => dataset.kind === kind).length}`

function hideEmptyKinds(visible: HTMLElement[]) {
  for (const heading of document.querySelectorAll<HTMLElement>('.register .vp-doc h2'))
    heading.classList.toggle(
      'without-entries',
      !visible.some(({ dataset }) => dataset.kind === heading.textContent?.trim().split(/\W/)[0]?.toLowerCase()),
    )
}

/** What hides entries of the register: their kind, their area and the words of their text. */
export const RegisterFilter = defineComponent(() => {
  const wanted = reactive<Wanted>({ kind: '', area: '', text: '' })
  const offered = reactive<Record<'kind' | 'area', string[]>>({ kind: [], area: [] })
  const shown = ref<number>()
  const field = ref<HTMLInputElement>()
  const clear = () => Object.assign(wanted, { kind: '', area: '', text: '' })
  // The button disappears.
  const clearByButton = () => {
    clear()
    field.value?.focus()
  }
  const apply = () => {
    for (const entry of entries()) entry.hidden = !isWanted(entry, wanted)
    const visible = entries().filter(({ hidden }) => !hidden)
    shown.value = visible.length
    hideEmptyKinds(visible)
  }
  /** A link leads to its entry, even if the filter hides it. */
  const showTarget = () => {
    const target = document.getElementById(location.hash.slice(1))
    if (!target?.closest('.entry[hidden]')) return
    clear()
    apply()
    target.scrollIntoView()
  }
  onMounted(() => {
    for (const name of ['kind', 'area'] as const)
      offered[name] = [...new Set(entries().map(({ dataset }) => dataset[name] ?? ''))]
    apply()
    watch(wanted, apply)
    addEventListener('hashchange', showTarget)
  })
  onUnmounted(() => removeEventListener('hashchange', showTarget))
  const change = (name: 'area' | 'text') => (event: Event) =>
    (wanted[name] = (event.target as HTMLInputElement | HTMLSelectElement).value)
  const choice = (label: string, value: string) =>
    h('button', { type: 'button', 'aria-pressed': wanted.kind === value, onClick: () => (wanted.kind = value) }, label)
  return () => [
    h('form', { class: 'register-filter', role: 'search', onSubmit: (event: Event) => event.preventDefault() }, [
      h('div', { class: 'kinds' }, [choice('All', ''), ...offered.kind.map((each) => choice(counted(each), each))]),
      h('label', [
        'Area ',
        h('select', { value: wanted.area, onChange: change('area') }, [
          option('all', ''),
          ...offered.area.map((each) => option(each, each)),
        ]),
      ]),
      h('input', {
        ref: field,
        type: 'search',
        placeholder: 'Filter entries',
        'aria-label': 'Text',
        value: wanted.text,
        onInput: change('text'),
      }),
      h(
        'span',
        { 'aria-live': 'polite' },
        shown.value ? `${shown.value} ${shown.value === 1 ? 'entry' : 'entries'}` : '',
      ),
    ]),
    shown.value === 0 &&
      h('p', [
        'No entries match. ',
        h('button', { type: 'button', class: 'clear', onClick: clearByButton }, 'Clear filters'),
      ]),
  ]
})
