/** Decodes percent-encoding; undefined if the text is not valid percent-encoded UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether a parsed host name is this machine. A URL has IPv4 addresses as four numbers, however they were written. */
export const isLoopback = (hostname: string): boolean => /^((.*\.)?localhost|\[::1\]|127(\.\d+){3})$/.test(hostname)
