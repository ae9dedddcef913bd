import { expect, it } from '@jest/globals'
import { CommandLogger, StartError } from '../../sources.js'

it('prints warnings and bugs, and leaves what an operator can mend to the command', () => {
  const lines: string[] = []
  const logger = new CommandLogger(line => void lines.push(line))
  logger.warn('Waiting for the session store', 'Redis')
  logger.error('The session store is down', undefined, 'Redis')
  logger.error(new StartError('The database is in use by another process'), undefined, 'ExceptionHandler')
  const bug = new TypeError('x is not a function')
  logger.error(bug, undefined, 'ExceptionHandler')
  expect(lines).toEqual([
    'Warning (Redis): Waiting for the session store',
    'Error (Redis): The session store is down',
    `Error (ExceptionHandler): ${bug.stack}`,
  ])
})
