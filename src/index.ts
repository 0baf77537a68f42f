export type { Send } from './client/send.js'
