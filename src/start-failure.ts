import { SettingsError } from './config/read-settings.js'
import { StartError } from './errors/start-error.js'

/** Of the operating system. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
}

/**
 * What an operator sees when the start fails: one line for something they can fix, the error with its stack
 * for a bug.
 */
export function startFailure(error: unknown): unknown {
  if (error instanceof SettingsError || error instanceof StartError) return error.message
  const { code, syscall, message, address, port } = error as SystemError
  if (code === 'EADDRINUSE')
    return `Port ${port} at ${address} is in use: stop whatever listens there, or choose another (a second npm start needs its own DATA_DIR, and a PORT at least 100 away)`
  if (code === 'EACCES' && port) return `Port ${port} at ${address} may not be opened by this user`
  // It names the file: one that is missing, or a folder that may not be written to.
  return syscall === undefined ? error : message
}
