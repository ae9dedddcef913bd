import { describe, expect, it } from '@jest/globals'
import { isAnswering, isOutage } from '../../sources.js'

const failure = (code: string | undefined, message = '') => Object.assign(new Error(message), { code })

describe('the database is out of reach', () => {
  it('when connecting or a statement fails for a reason of the server or the network', () => {
    const codes = [
      ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EMFILE', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'ENOENT'],
      ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      ...['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER'],
      ...['08006', '25006', '28P01', '53300', '57P01'],
    ]
    expect(codes.filter(code => !isOutage(failure(code)))).toEqual([])
    expect(isOutage(new Error('Failed query', { cause: failure('ECONNRESET') }))).toBe(true)
  })

  it('when the driver says so without a code', () => {
    const messages = [
      'The server does not support SSL connections',
      'There was an error establishing an SSL connection',
      'Cannot use a pool after calling end on the pool',
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
    ]
    expect(messages.filter(message => !isOutage(failure(undefined, message)))).toEqual([])
  })

  it('but not when a statement or our own code fails', () => {
    const codes = ['23505', '40001', '42P01', 'ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE']
    expect(codes.filter(code => isOutage(failure(code, 'timeout')))).toEqual([])
  })
})

it('answers when it says why, and not when the connection does', () => {
  expect(['53300', '28P01', '42P01'].map(code => isAnswering(failure(code)))).toEqual([true, true, true])
  expect(['57P03', 'EPIPE', 'CERT_HAS_EXPIRED'].map(code => isAnswering(failure(code)))).toEqual([
    false,
    false,
    false,
  ])
})
