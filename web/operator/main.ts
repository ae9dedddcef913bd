import '../styles/site.css'
import '../styles/operators.css'
import { showBrand } from '../pieces/brand.js'
import { startPage } from '../pieces/language/start.js'

showBrand()
startPage(() => import('./draw.js'))
