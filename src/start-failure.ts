import { SettingsError } from './config/read-settings.js'

/**
 * What an operator sees when the start fails: one line for something they can fix, the error with its stack
 * for a bug.
 */
export function startFailure(error: unknown): unknown {
  if (error instanceof SettingsError) return error.message
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} at ${address} is taken: stop what listens there, or set another one (a second instance: see config/development.env)`
  if (code === 'EACCES' && port) return `Port ${port} at ${address} may not be opened by this user`
  return error
}
