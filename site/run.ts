import { planIds } from '../generated/contract.js'
import { createSandbox } from '../src/tools/sandbox/index.js'
import { connect } from './globals.js'
import { programs } from './programs.js'
import { GUIDE_WORLD } from './world.js'

let previous: Promise<void> = Promise.resolve()

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-run]') : null
  const output = button?.nextElementSibling
  if (!button || !output || button.ariaDisabled === 'true') return
  // A disabled button would lose the focus.
  button.ariaDisabled = 'true'
  // One after the other: they share the connection to the sandbox.
  previous = previous
    .then(() => run(button.dataset.run ?? '', output))
    .finally(() => {
      button.ariaDisabled = null
    })
})

/** Runs a guide's program up to the end of a block, in a new sandbox, and shows what that block sends and prints. */
async function run(program: string, output: Element): Promise<void> {
  const [guide = '', block] = program.split('/')
  const wanted = Number(block)
  const sandbox = createSandbox({ world: GUIDE_WORLD, plan: planIds.largest })
  connect(sandbox)
  let current = -1
  let sentBefore = 0
  const [requests, printed] = [partOf('Requests'), partOf('Output')]
  output.replaceChildren(requests, printed)
  const print = (...values: unknown[]) => {
    if (current === wanted)
      addLine(printed, values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '))
  }
  const reach = (reached: number) => {
    current = reached
    if (reached === wanted) sentBefore = sandbox.requests().length
    return reached > wanted
  }
  try {
    await programs[guide]?.({ log: print, info: print, warn: print, error: print }, reach)
  } catch (error) {
    addLine(printed, String(error), 'problem')
  }
  const isSilent = !printed.hasChildNodes()
  for (const { request, response } of sandbox.requests().slice(sentBefore)) {
    addLine(requests, `${request.method} ${request.path} ${response?.status ?? 'no response'}`, 'request')
    if (isSilent && response?.body) addLine(requests, inspect(response.body), 'request')
  }
  if (isSilent && !requests.hasChildNodes()) addLine(printed, 'No output and no requests.', 'request')
}

/** A part of the output with its label, which CSS hides while the part is empty. */
function partOf(label: string): HTMLElement {
  const part = document.createElement('section')
  part.dataset.label = label
  return part
}

function addLine(output: Element, text: string, className = ''): void {
  const line = document.createElement('div')
  line.className = className
  line.textContent = text
  output.append(line)
}

/** A value as Node prints it on one line. */
function inspect(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value)
  const parts = Array.isArray(value)
    ? value.map(inspect)
    : Object.entries(value).map(([name, each]) => `${name}: ${inspect(each)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length > 0 ? `${open} ${parts.join(', ')} ${close}` : `${open}${close}`
}
