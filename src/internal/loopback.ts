/** Whether a parsed host name is this machine. A URL has IPv4 addresses as four numbers, however they were written. */
export const isLoopback = (hostname: string): boolean => /^((.*\.)?localhost|\[::1\]|127(\.\d+){3})$/.test(hostname)
