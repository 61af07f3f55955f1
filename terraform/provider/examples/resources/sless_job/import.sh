terraform import sless_job.to_seven to-seven
