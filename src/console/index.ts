/** The parts of the console that other pages use. */
export type { Backend } from './backend.js'
export { ActionButton, Input } from './controls.js'
export { type SentRequest, send } from './draft.js'
export { createInPageBackend } from './in-page.js'
export { type Model, useModel } from './model.js'
export { RequestForm } from './request-form.js'
export { ResponseView } from './response-view.js'
export { RunView } from './run-view.js'
