import { type ValidationError, ValidationPipe } from '@nestjs/common'
import { ApiError, type FieldError } from '../errors/api-error.js'

/** Bodies are typed, never coerced; an unknown field is refused, not dropped: a typing mistake must not pass in silence. */
export function bodyValidation(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    transformOptions: { enableImplicitConversion: false },
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
    exceptionFactory: errors => new ApiError('INVALID_BODY', { errors: errors.map(asFieldError) }),
  })
}

function asFieldError({ property, constraints }: ValidationError): FieldError {
  const [message] = Object.values(constraints ?? { type: `${property} is not as documented` })
  return { field: property.slice(0, 64), message: (message ?? '').slice(0, 200) }
}
