import type { OperationId } from '../../../../generated/contract.js'
import { getOrCreate } from '../../../internal/maps.js'
import { OTHER_STATUS } from '../judge/contract.js'

/** A recorded value may have any type. Names with `_` are extensions of a recorder. */
export type Recorded = Record<string, unknown>
export type HarEntry = Recorded & Partial<Record<'request' | 'response' | 'timings', Recorded>>

const FROM_CACHE = "from the browser's cache"
const FROM_WORKER = 'from a service worker'
export const TWICE = 'recorded twice'

/** What recorders note of a response that did not come from the service; undefined for one that did. */
export function otherSource({ response, timings, ...entry }: HarEntry): string | undefined {
  // Chrome, Charles and the members of HAR 1.2.
  const isCached = entry._fromCache ?? entry.fromCache ?? Object(entry.cache).beforeRequest
  if (response?.status === OTHER_STATUS.notModified || isCached) return FROM_CACHE
  if (entry._fetchedViaServiceWorker || response?._fetchedViaServiceWorker) return FROM_WORKER
  // Safari: "Network Load", "Memory Cache", "Disk Cache", "Service Worker" or "Inspector Override".
  if (typeof entry._fetchType === 'string' && !/network/i.test(entry._fetchType))
    return /worker/i.test(entry._fetchType) ? FROM_WORKER : FROM_CACHE
  // Firefox.
  const isUntimed = typeof timings === 'object' && timings !== null && Object.keys(timings).length === 0
  return isUntimed && response?.bodySize === 0 ? FROM_CACHE : undefined
}

export const isFromCache = (reason: string): boolean => reason === FROM_CACHE || reason === FROM_WORKER

/** What recorders note of a request that failed: Chrome, Safari and mitmproxy as `_error`, Playwright as `_failureText`. */
export const errorOf = ({ response, ...entry }: HarEntry): string => {
  const noted = [response?._error, response?._failureText, entry._error, entry._failureText]
  return (noted.find((each) => typeof each === 'string' && each !== '') as string | undefined) ?? ''
}

/**
 * Whether a request without a response was sent, as its error or its times show. Beside an error that shows neither, the time
 * for sending may be that of sending it to a proxy.
 */
export function wasSent(entry: HarEntry): boolean {
  const error = errorOf(entry)
  if (NOT_SENT.test(error)) return false
  const { send, wait, receive } = Object(entry.timings) as Recorded
  return BROKEN_OFF.test(error) || [error === '' && send, wait, receive].some(isPositive)
}

/** Whether the time of a request without a response goes on after it was sent: mitmproxy's does not, Playwright's is -1. */
export const isEndKnown = ({ time, timings }: HarEntry): boolean => {
  const { dns, connect, ssl, send } = Object(timings) as Recorded
  return isPositive(time) && time > [dns, connect, ssl, send].filter(isPositive).reduce((sum, each) => sum + each, 0)
}

const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0

/** Errors of Chromium, Firefox, Safari, mitmproxy and Node before a request is sent. */
const NOT_SENT =
  /refused|resol|unreach|unknown.?host|hostname|not.?found|offline|internet|blocked|killed|cert|ssl|tls|proxy|tunnel|unsafe.port|(connect(ion)?|server|call)[ _](failed|timed|timeout|attempt)|could not connect|ENOTFOUND|EAI_AGAIN/i

/** Errors of the same after it was sent. */
const BROKEN_OFF =
  /empty.?response|reset|closed|disconnect|hang.?up|interrupt|incomplete|mismatch|lost|invalid.?(http.?)?response|http_?2|quic|EPIPE/i

/** What Playwright notes of a request of a page or of its service worker. Times are in ms. */
export interface Source {
  operation: OperationId
  index: number
  sentAt: number
  receivedAt: number
  /** Method and URL. */
  target: string
  isOfWorker: boolean
  /** Whether the headers are those that were sent: a browser shows others until a request is sent. */
  isSent: boolean
  /** Whether no byte of the response came over the network. */
  isLocal: boolean
  hasBody: boolean
}

/** The sources, in their order, without those that are no response of the service; `twin` is the entry with the body. */
export function withoutTwins<Entry extends Source>(
  all: readonly Entry[],
  ignore: (reason: string, operation: Entry['operation']) => void,
): (Entry & { twin?: number })[] {
  const isRecorded = all.some(({ isOfWorker, isSent }) => isOfWorker && isSent)
  const pages = new Map<string, Entry[]>()
  for (const each of all) if (!each.isOfWorker) getOrCreate(pages, each.target, (): Entry[] => []).push(each)
  const twins = new Map<Entry, Entry>()
  for (const worker of all) {
    const page = worker.isOfWorker ? twinOf(worker, pages.get(worker.target) ?? [], twins) : undefined
    if (page) twins.set(page, worker).set(worker, page)
  }
  return all.flatMap((each) => {
    const twin = twins.get(each)
    const ofWorker = each.isOfWorker ? each : twin
    // Without a twin, a worker responded to the page from what it kept.
    const isCached = ofWorker ? ofWorker.isLocal || (isRecorded && !ofWorker.isSent) : each.isLocal
    if (isCached) ignore(FROM_CACHE, each.operation)
    else if (!ofWorker && isRecorded && !each.isSent) ignore(FROM_WORKER, each.operation)
    else if (!twin) return [each]
    else if (!each.isOfWorker) ignore(TWICE, each.operation)
    else return [{ ...each, twin: twin.hasBody ? twin.index : each.index }]
    return []
  })
}

/** The request of a page that its worker sent: the nearest one that was open at the same time. */
function twinOf<Entry extends Source>(
  worker: Entry,
  pages: readonly Entry[],
  known: ReadonlyMap<Entry, Entry>,
): Entry | undefined {
  const isOpen = (page: Entry) => {
    // A page whose request was not sent has no other duration than that of its worker, which may have to start first.
    const slack = page.isSent ? ROUNDED : START_OF_WORKER
    return worker.sentAt <= page.receivedAt + slack && page.sentAt <= worker.receivedAt + ROUNDED
  }
  const open = pages.filter((page) => !known.has(page) && isOpen(page))
  const distance = (page: Entry) => Math.abs(worker.sentAt - page.sentAt)
  return open.reduce<Entry | undefined>(
    (one, other) => (one && distance(one) <= distance(other) ? one : other),
    undefined,
  )
}

/** In ms: recorders write times in whole ms. */
const ROUNDED = 2
const START_OF_WORKER = 1_000
