import {
  type ArgumentMetadata,
  type PipeTransform,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common'
import { ApiError, type FieldError } from '../errors/api-error.js'
import type { ErrorCode } from '../errors/error-codes.js'

/**
 * Bodies and queries by their classes. Nothing is coerced: classes say by `FromText` what becomes of a text. An unknown name is refused, not dropped: a typing mistake must not pass in silence.
 * One pipe for both, because every parameter of every request passes it.
 */
export class RequestValidation implements PipeTransform {
  private readonly body = validation('INVALID_BODY')
  private readonly query = validation('INVALID_QUERY')

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type } = metadata
    return type === 'body' || type === 'query' ? this[type].transform(value, metadata) : value
  }
}

function validation(code: ErrorCode): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    transformOptions: { enableImplicitConversion: false },
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
    exceptionFactory: errors => new ApiError(code, { errors: errors.map(asFieldError) }),
  })
}

function asFieldError({ property, constraints }: ValidationError): FieldError {
  const [message] = Object.values(constraints ?? { type: `${property} is not as documented` })
  return { field: property.slice(0, 64), message: (message ?? '').slice(0, 200) }
}
