import { defineComponent, h, onMounted, ref, watch } from 'vue'

const KINDS = ['assumed', 'observed', 'derived', 'stated']

/** Buttons that show the entries of the register of one kind and one area. */
export const RegisterFilter = defineComponent(() => {
  const kind = ref('')
  const area = ref('')
  const areas = ref<string[]>([])
  const shown = ref(0)
  const entries = () => [...document.querySelectorAll<HTMLElement>('.entry')]
  const apply = () => {
    for (const entry of entries())
      entry.hidden =
        (kind.value !== '' && entry.dataset.kind !== kind.value) ||
        (area.value !== '' && entry.dataset.area !== area.value)
    const visible = entries().filter(({ hidden }) => !hidden)
    shown.value = visible.length
    for (const heading of document.querySelectorAll<HTMLElement>('.register .vp-doc h2'))
      heading.classList.toggle(
        'without-entries',
        !visible.some(({ dataset }) => dataset.kind === heading.textContent?.trim().split(/\W/)[0]?.toLowerCase()),
      )
  }
  onMounted(() => {
    areas.value = [...new Set(entries().map(({ dataset }) => dataset.area ?? ''))]
    apply()
    watch([kind, area], apply)
    // A link leads to its entry, even if the filter hides it.
    addEventListener('hashchange', () => {
      const target = document.getElementById(location.hash.slice(1))
      if (!target?.closest('.entry[hidden]')) return
      kind.value = area.value = ''
      apply()
      target.scrollIntoView()
    })
  })
  const choice = (label: string, value: string) =>
    h('button', { type: 'button', 'aria-pressed': kind.value === value, onClick: () => (kind.value = value) }, label)
  return () =>
    h(
      'form',
      {
        class: 'register-filter',
        'aria-label': 'Filter the register',
        onSubmit: (event: Event) => event.preventDefault(),
      },
      [
        h('div', { class: 'kinds' }, [choice('all', ''), ...KINDS.map((each) => choice(each, each))]),
        h('label', [
          'Area ',
          h(
            'select',
            { value: area.value, onChange: ({ target }: Event) => (area.value = (target as HTMLSelectElement).value) },
            [h('option', { value: '' }, 'all'), ...areas.value.map((each) => h('option', { value: each }, each))],
          ),
        ]),
        h('span', { 'aria-live': 'polite' }, shown.value > 0 ? `${shown.value} entries` : ''),
      ],
    )
})
