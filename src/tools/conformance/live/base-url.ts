import { protocol } from '../../../../generated/operations.js'
import { wrong } from '../errors.js'

/** @throws ConformanceError when it is not a base URL */
export function baseUrlOf(text: string): string {
  if (!URL.canParse(text))
    throw wrong(
      `The base URL has to be complete, such as https://workflow-automation.example${protocol.versionSegment}.`,
    )
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw wrong(`The base URL has to begin with https:// or http://, not ${url.protocol}//.`)
  if (url.username || url.password) throw wrong('The base URL must hold no user name and no password.')
  if (url.search || url.hash) throw wrong('The base URL must end with its path, without a "?" or a "#".')
  return url.href.replace(/\/+$/, '')
}

export const urlOf = (baseUrl: string, path: string, ids: Readonly<Record<string, string>>): string =>
  baseUrl + path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(wellFormed(ids[name] ?? '')))

/** A service may send half of a surrogate pair in an id, which no URL can have. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\ufffd')
