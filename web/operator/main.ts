import '../styles/site.css'
import '../styles/pages/operators.css'
import { startPage } from '../pieces/language/start.js'
import { showBrand } from '../pieces/site/brand.js'

showBrand()
startPage(() => import('./app.js'))
