/** The parts of the console that other pages use. */
export type { Backend } from './backend.js'
export { createInPageBackend } from './in-page.js'
export { type Model, tokensOf, useModel } from './model.js'
export { ActionButton, Input, useTicks } from './parts/controls.js'
export { type SentDraft as SentRequest, send } from './requests/draft.js'
export { RequestForm } from './requests/request-form.js'
export { ResponseView } from './requests/response-view.js'
export { RunPanel } from './runs/run-view.js'
