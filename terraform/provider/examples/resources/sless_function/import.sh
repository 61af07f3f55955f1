terraform import sless_function.report report
