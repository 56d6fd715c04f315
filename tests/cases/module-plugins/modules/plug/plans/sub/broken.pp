this is ( no plan
